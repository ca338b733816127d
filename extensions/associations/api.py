"""API: association tests, the figures of the page as JSON."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router

from benchmark.api.entries import REFUSED, enough, entries_parameter, preparation
from benchmark.api.schema import listed, parameter
from benchmark.compare.entries import is_open, marked
from benchmark.responses import kept_if_open
from benchmark.submissions.access import bearer_token
from benchmark.submissions.vectors import can_be_prepared
from extensions.associations import lists
from extensions.associations.answers import ENTRIES, answer_of, answers, stored
from extensions.associations.views import address_of_test
from tasks.answers import AssociationsAnswer, Preparing
from tasks.errors import InputError

router = Router()


@router.get(
    "/associations",
    response={200: AssociationsAnswer, 202: Preparing} | REFUSED,
    url_name="associations",
    description=(
        "Effect size, interval and p of an association test in up to eight entries, "
        f"{ENTRIES.most} an hour and person; 202 while vectors are prepared."
    ),
    openapi_extra={
        "parameters": [
            entries_parameter(1),
            parameter("test", "name of a test; or give the four lists x, y, a and b"),
            *(
                listed(side, f"words of {role} list {side.upper()}, at most {lists.MOST_WORDS}")
                for side, role in zip(lists.SIDES, ("target",) * 2 + ("attribute",) * 2, strict=True)
            ),
            *(parameter(f"name_{side}", f"name of list {side.upper()}") for side in lists.SIDES),
        ]
    },
)
def associations(request: HttpRequest) -> HttpResponse:
    """The page's answers, without its chart."""
    enough(request, 1)
    test = requested_test(request)
    entries = marked(request, token=bearer_token(request))
    submissions = [entry.submission for entry in entries if not stored(entry.submission, test)]
    if missing := list(filter(can_be_prepared, submissions)):  # before the test, so that repeated requests cost nothing
        return preparation(missing)
    answered = answers(request, entries, test)
    body = answer_of(test, answered, request.build_absolute_uri(address_of_test(entries, test)))
    return kept_if_open(request, JsonResponse(body), is_open=bool(test.id) and is_open(entries))


def requested_test(request: HttpRequest) -> lists.RequestedTest:
    """The named test, or the one of the four lists.

    Raises
    ------
    InputError
        neither or both are given, the test does not exist, or a list is empty or too long.
    """
    names = [name for side in lists.SIDES for name in (side, f"name_{side}") if name in request.GET]
    if names and "test" in request.GET:
        message = "Give either “test” or the four lists x, y, a and b, not both."
        raise InputError("two-tests", message, field=names[0])
    if names and (empty := [side for side in lists.SIDES if not request.GET.get(side, "").strip()]):
        message = f"The list {empty[0]} is missing; give all four, as x=one,two&y=…&a=…&b=…."
        raise InputError("list-empty", message, field=empty[0])
    if names:
        texts = {name: request.GET[name] for name in names}
        return lists.entered_test(texts | {f"words_{side}": texts.get(side, "") for side in lists.SIDES})
    test = lists.requested_test({"test": request.GET.get("test", "")})
    assert test is not None
    return test
