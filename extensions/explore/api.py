"""API: nearest words in an entry."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router
from ninja.errors import HttpError

from benchmark.api.entries import REFUSED, preparation
from benchmark.api.schema import listed, parameter
from benchmark.api.submissions import access_of
from benchmark.inputs import Parameters, refuse
from benchmark.responses import kept_if_open
from benchmark.submissions import vectors as near
from benchmark.submissions.states import State
from tasks.answers import NeighboursAnswer, Preparing, WordNeighbours
from tasks.errors import InputError
from tasks.neighbours import COUNT
from tasks.text import split_words

MOST_WORDS, MOST_NEIGHBOURS = 20, 100
"""Words of a request, and neighbours of a word."""

router = Router()


@router.get(
    "/entries/{submission_id}/neighbours",
    response={200: NeighboursAnswer, 202: Preparing} | REFUSED,
    url_name="neighbours",
    openapi_extra={
        "parameters": [
            listed("words", f"words to look up, at most {MOST_WORDS}", required=True),
            parameter(
                "top",
                f"neighbours of each word; {COUNT} by default",
                type="integer",
                minimum=1,
                maximum=MOST_NEIGHBOURS,
            ),
        ]
    },
)
def neighbours(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Nearest words by cosine; 202 while a worker prepares the vectors. Unknown words have a ``reason`` instead."""
    submission = access_of(request, submission_id).submission
    if submission.state != State.DONE:
        raise HttpError(409, f"The entry has no report; the submission is {submission.state}.")
    parameters = Parameters(request.GET)
    words = requested_words(parameters)
    count = parameters.whole_number("top", least=1, most=MOST_NEIGHBOURS) or COUNT
    refuse(parameters.ignored)
    answered = [near.ask(submission, word, count) for word in words]
    if any(answer.code == "not-prepared" for answer in answered):
        if not near.can_be_looked_up(submission):
            raise HttpError(409, near.reason_without(submission))
        return preparation([submission])
    excerpt = near.stand_in(submission)
    body: NeighboursAnswer = {
        "entry": submission.pk,
        "name": submission.display_name,
        "among": f"the {excerpt}" if excerpt else "all words of the file",
        "words": [_of_word(answer) for answer in answered],
    }
    return kept_if_open(request, JsonResponse(body), is_open=submission.is_open_to_all)


def _of_word(answer: near.Answer) -> WordNeighbours:
    return {
        "word": answer.word,
        "found": answer.spelling or None,
        "neighbours": [{"word": row.word, "cosine": round(row.cosine, 6)} for row in answer.neighbours],
        "reason": answer.problem,
    }


def requested_words(parameters: Parameters) -> list[str]:
    """The words of ``words=a,b``.

    Raises
    ------
    InputError
        there is none, there are too many, or one is too long.
    """
    words = split_words(parameters.query.get("words", ""))
    if not words:
        raise InputError("no-words", "No word is given; name some, as words=a,b.", field="words")
    if len(words) > MOST_WORDS:
        message = f"{len(words)} words are given; a request looks up at most {MOST_WORDS}. Send several requests."
        raise InputError("too-many-words", message, field="words")
    if any(len(word) > near.LONGEST_WORD for word in words):
        message = f"A word has more than {near.LONGEST_WORD} characters; separate words by commas."
        raise InputError("word-too-long", message, field="words")
    return words
