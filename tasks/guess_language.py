"""Guess the language of vectors from their first words, which in most files are the most frequent ones; or of texts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from tasks.languages import contradicts, language_name
from tasks.vectors import Embedding, FileWarning

FIRST = 2_000
"""Number of words examined."""
LEAST_SHARE, LEAD = 0.6, 1.25
"""Least share of a language's common words, and least ratio to the share of the next language."""
OTHER_LANGUAGE = "other-language"
"""Code of the warning."""

_SCRIPTS = {
    "GREEK": "el", "HEBREW": "he", "THAI": "th", "HANGUL": "ko", "HIRAGANA": "ja", "KATAKANA": "ja", "GEORGIAN": "ka",
    "ARMENIAN": "hy", "BENGALI": "bn", "TAMIL": "ta", "TELUGU": "te", "KANNADA": "kn", "MALAYALAM": "ml",
    "GUJARATI": "gu", "GURMUKHI": "pa", "KHMER": "km", "LAO": "lo", "MYANMAR": "my", "SINHALA": "si", "CJK": "zh",
}  # fmt: skip
"""Scripts of one large language. Japanese also has Chinese characters, but its syllabaries are its own."""
_COMMON = """
ar في من على إلى أن عن مع هذا هذه التي الذي كان بين بعد ما لا كما أو ذلك حيث
bg и на в да се от за с е не по като са до че той това или който при
ca de la el i a en que els les per un una amb del és al va no com més
cs a v se na je že s z do o k i ve pro jako by po od jeho které
da og i at det er en til af på for med som der den et ikke har de fra var
de der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als
en the of and to in a is that for it was as with on by be at from this are
es de la que el en y a los se del las un por con no una su para es al
et ja on ei et see ta oli mis kui aga ka ning oma kes või olid selle seda veel pole
eu eta da ez zen du bat ere egin den dira izan zuen baina dute edo beste hau bere duen izen
fa و در به از که این را با است برای آن یک بود تا شد خود کرد هم بر های
fi ja on ei että se oli hän mutta myös ovat kun niin tai joka jos kuin sen mukaan hänen vuonna
fr de la le et les des en un du une que est dans qui par pour au sur pas plus
ga an na agus a ar i is ag le go bhí sé do de ó mar nó atá sin leis
gl de a o e que en do da un unha os as por con non para no na foi ao
hi के में की है से को का और पर ने कि यह एक लिए भी था हैं नहीं इस कर
hr i u je se na da su za od s kao koji o ali iz nije te do koja ili
hu a az és hogy nem is egy volt meg csak ez de már még mint vagy el ki azt lesz
id yang dan di dengan untuk pada dari dalam ini adalah itu oleh sebagai tidak ke juga atau akan dapat tahun
is og í að á er sem var til um en við fyrir með af ekki það hann þar því eru
it di e il la che in a per un del non una i della è con da le si sono
lt ir kad į su yra buvo iš ne už bet kaip tai nuo tik jo po apie savo arba kuris
lv un ir ar no uz kas par ka bija kā bet arī ne vai pie gada tika to savu tās
ms yang dan di dengan untuk pada dari dalam ini adalah itu oleh sebagai tidak ke telah atau ialah bagi beliau
nl de en van het een in is dat op te zijn met voor die niet aan er om ook als
no og i det er en til av på for med som den et ikke har de fra var seg etter
pl w i na się z do nie to jest że o jak od po za ale przez oraz był dla
pt de a o que e do da em um para com não uma os no se na por mais as
ro de și în la a cu pe din care o că nu un mai este pentru sau fost prin sunt
ru и в не на что с он как по это но из за от для было его так же или
sk a v sa na je že s z do o k i vo pre ako by po od jeho ktoré
sl in je v na se da za so ki z s ne pa kot po bil tudi ali od kar
sq të e në dhe i me për një nga më që është si nuk janë ka kjo ishte ky u
sr и у је се на да су за од с као који о али из није те до која или
sv och i att det är en av på för med som den till ett inte har de var om från
sw ya na wa kwa ni katika za la kama hii huo yake alikuwa baada lakini pia hiyo watu kuwa cha
tl ang ng sa na mga ay at ni si kay para ito isang may hindi siya kanyang nang mula bilang
tr ve bir bu da de için ile olarak çok olan gibi daha ne kadar sonra var o en ise değil
uk і в не на що з він як до це але та за від для було його так або у
ur کے میں کی ہے سے کو کا اور پر نے کہ یہ ایک لیے بھی تھا ہیں نہیں اس کر
vi và của là có được cho trong một các với những không đã người này khi từ đến năm ở
"""
COMMON: Mapping[str, frozenset[str]] = {
    code: frozenset(words) for code, *words in (line.split() for line in _COMMON.strip().splitlines())
}
"""Twenty of the most common words of languages that share a script with others."""


def guess(words: Sequence[str]) -> str | None:
    """The language of a vocabulary by its first words, case ignored; None if no language stands out.

    Languages in Latin, Cyrillic, Arabic and Devanagari script are told apart by common words, so those that share most
    of them (Danish and Norwegian) give no guess; each other script belongs to one language.

    Returns
    -------
    str or None
        ISO 639-1.
    """
    first = {word.lower() for word in words[:FIRST]}
    script = _script(first)
    if script is not None:
        return script
    shares = sorted(((len(common & first) / len(common), code) for code, common in COMMON.items()), reverse=True)
    (best, code), (next_best, _) = shares[:2]
    return code if best >= LEAST_SHARE and best >= LEAD * next_best else None


def likely_language(embedding: Embedding) -> str | None:
    """:func:`guess` for an embedding; None for an open vocabulary, whose words are a suite's list, not the file's."""
    return None if embedding.open_vocabulary else guess(embedding.words)


def _script(words: set[str]) -> str | None:
    """The language whose own script at least half of these words have."""
    scripts = (unicodedata.name(word[0], "").split(" ")[0].split("-")[0] for word in words if word)
    counts = Counter(_SCRIPTS.get(script, "") for script in scripts)
    del counts[""]
    if not counts or counts.total() < len(words) / 2:
        return None
    return "ja" if counts["ja"] > counts.total() / 10 else counts.most_common(1)[0][0]


def language_warnings(likely: str | None, declared: str) -> tuple[FileWarning, ...]:
    """A warning if the vectors look like another language than the stated one.

    Parameters
    ----------
    likely, given : as of :func:`tasks.languages.contradicts`.
    """
    if not likely or not contradicts(likely, declared):
        return ()
    seems, stated = language_name(likely), language_name(declared)
    message = (
        f"This looks like {seems}, but its language was given as {stated}, so it gets the tasks in {stated}. If it is "
        f"{seems}, correct the language."
    )
    return (FileWarning(OTHER_LANGUAGE, message),)
