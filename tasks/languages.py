"""Languages of vectors, by ISO 639-1 code."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.errors import UnknownName

ENGLISH = "en"
"""Default language of vectors."""

_NAMES = """
aa Afar|ab Abkhazian|ae Avestan|af Afrikaans|ak Akan|am Amharic|an Aragonese|ar Arabic|as Assamese|av Avaric|ay Aymara
az Azerbaijani|ba Bashkir|be Belarusian|bg Bulgarian|bi Bislama|bm Bambara|bn Bengali|bo Tibetan|br Breton|bs Bosnian
ca Catalan|ce Chechen|ch Chamorro|co Corsican|cr Cree|cs Czech|cu Church Slavic|cv Chuvash|cy Welsh|da Danish|de German
dv Divehi|dz Dzongkha|ee Ewe|el Greek|en English|eo Esperanto|es Spanish|et Estonian|eu Basque|fa Persian|ff Fulah
fi Finnish|fj Fijian|fo Faroese|fr French|fy Western Frisian|ga Irish|gd Scottish Gaelic|gl Galician|gn Guarani
gu Gujarati|gv Manx|ha Hausa|he Hebrew|hi Hindi|ho Hiri Motu|hr Croatian|ht Haitian Creole|hu Hungarian|hy Armenian
hz Herero|ia Interlingua|id Indonesian|ie Interlingue|ig Igbo|ii Sichuan Yi|ik Inupiaq|io Ido|is Icelandic|it Italian
iu Inuktitut|ja Japanese|jv Javanese|ka Georgian|kg Kongo|ki Kikuyu|kj Kuanyama|kk Kazakh|kl Kalaallisut|km Khmer
kn Kannada|ko Korean|kr Kanuri|ks Kashmiri|ku Kurdish|kv Komi|kw Cornish|ky Kyrgyz|la Latin|lb Luxembourgish|lg Ganda
li Limburgish|ln Lingala|lo Lao|lt Lithuanian|lu Luba-Katanga|lv Latvian|mg Malagasy|mh Marshallese|mi Maori
mk Macedonian|ml Malayalam|mn Mongolian|mr Marathi|ms Malay|mt Maltese|my Burmese|na Nauru
nd North Ndebele|ne Nepali|ng Ndonga|nl Dutch|nn Norwegian Nynorsk|no Norwegian|nr South Ndebele|nv Navajo|ny Chichewa
oc Occitan|oj Ojibwa|om Oromo|or Odia|os Ossetian|pa Punjabi|pi Pali|pl Polish|ps Pashto|pt Portuguese|qu Quechua
rm Romansh|rn Rundi|ro Romanian|ru Russian|rw Kinyarwanda|sa Sanskrit|sc Sardinian|sd Sindhi|se Northern Sami|sg Sango
si Sinhala|sk Slovak|sl Slovenian|sm Samoan|sn Shona|so Somali|sq Albanian|sr Serbian|ss Swati|st Southern Sotho
su Sundanese|sv Swedish|sw Swahili|ta Tamil|te Telugu|tg Tajik|th Thai|ti Tigrinya|tk Turkmen|tl Tagalog|tn Tswana
to Tonga|tr Turkish|ts Tsonga|tt Tatar|tw Twi|ty Tahitian|ug Uyghur|uk Ukrainian|ur Urdu|uz Uzbek|ve Venda
vi Vietnamese|vo Volapük|wa Walloon|wo Wolof|xh Xhosa|yi Yiddish|yo Yoruba|za Zhuang|zh Chinese|zu Zulu
"""
LANGUAGES: Mapping[str, str] = dict(
    entry.split(" ", 1) for line in _NAMES.strip().splitlines() for entry in line.split("|")
)
"""Every code with the language's English name; Norwegian Bokmål, ``nb``, is ``no``, as data sets call it."""

UNSPACED = frozenset({"bo", "dz", "ii", "ja", "km", "lo", "my", "th", "zh"})
"""Languages that are written without spaces between words: a text has to be segmented before its words are counted."""
_ALIKE: Mapping[str, frozenset[str]] = {
    "bn": frozenset({"as"}),
    "he": frozenset({"yi"}),
    "hr": frozenset({"bs", "sr"}),
    "nl": frozenset({"af"}),
    "no": frozenset({"nn"}),
    "sr": frozenset({"bs"}),
}
"""Languages that :func:`tasks.guess_language.guess` takes for the one before the colon: they share its script, or its
common words (Serbian and Bosnian in Latin script those of Croatian)."""


def language_name(code: str) -> str:
    """English name of a language; the code itself if it is not listed.

    >>> language_name("de")
    'German'
    """
    return LANGUAGES.get(code, code)


_TAGS = """
ar ara-Arab|az aze-Latn|bg bul-Cyrl|bn ben-Beng|ca cat-Latn|cs ces-Latn|da dan-Latn|de deu-Latn|el ell-Grek|en eng-Latn
es spa-Latn|et est-Latn|fa fas-Arab|fi fin-Latn|fr fra-Latn|he heb-Hebr|hi hin-Deva|hr hrv-Latn|hu hun-Latn|id ind-Latn
is isl-Latn|it ita-Latn|ja jpn-Jpan|jv jav-Latn|ko kor-Hang|lt lit-Latn|lv lav-Latn|ms msa-Latn|nl nld-Latn|no nob-Latn
pl pol-Latn|pt por-Latn|ro ron-Latn|ru rus-Cyrl|sk slk-Latn|sl slv-Latn|sq sqi-Latn|sv swe-Latn|sw swa-Latn|th tha-Thai
tl tgl-Latn|tr tur-Latn|uk ukr-Cyrl|ur urd-Arab|vi vie-Latn|zh zho-Hans
"""
_TAG_OF = dict(entry.split(" ", 1) for line in _TAGS.strip().splitlines() for entry in line.split("|"))


def tagged(code: str) -> str:
    """ISO 639-3 code and script of a language of the suites, ``eng-Latn``; other codes as they are."""
    return _TAG_OF.get(code, code)


RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"})
"""Written from right to left by most of their readers."""


def direction(code: str) -> str:
    """``rtl`` or ``ltr``, as HTML names it."""
    return "rtl" if code in RIGHT_TO_LEFT else "ltr"


def contradicts(likely: str, stated: str) -> bool:
    """Whether a guess contradicts the stated language.

    Parameters
    ----------
    likely : from :func:`tasks.guess_language.likely_language`; empty: no language stands out.
    given : stated by the owner.
    """
    return bool(likely) and likely != stated and stated not in _ALIKE.get(likely, ())


def known_language(code: str) -> str:
    """The code itself.

    Raises
    ------
    UnknownName
        it is not a code of ISO 639-1.
    """
    if code not in LANGUAGES:
        raise UnknownName(f"{code!r} is not a language code of ISO 639-1; German is de, for example.")
    return code
