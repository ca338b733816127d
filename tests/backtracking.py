"""Whether a regular expression may take more than linear time, which Python's engine needs where paths are ambiguous.

An expression becomes an automaton without empty moves (Glushkov's: one state for each character class). Of the paths
that a backtracking engine may try on a word, there are exponentially many if a state reaches itself by two paths over
one word, and at least quadratically many if over one word a state reaches itself and another one, which reaches itself
(Weber and Seidl 1991, criteria EDA and IDA). Trying them all needs a failure later: a loop in which the match is
complete again and again never fails. An expression that is searched for begins anywhere, so with a loop over every
character.

The check is conservative: of look-arounds and anchors, only a first one counts, and possessive repeats are like others.
A repeat with an end is a constant factor, of which ``MOST_COPIES`` are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

MOST_COPIES = 8
OTHERS = "\u0301\u0430\u0660\u0905\u200b\u2019\u201c\u2028\u3000\u4e2d\ud800\U0001f600"
SAMPLE = [*map(chr, range(256)), *OTHERS]
"""Characters that stand for all others, besides those that an expression names."""
State = int
START = 0


@dataclass
class Part:
    """First and last states of a part of an expression, and whether it matches nothing at all."""

    first: set[State] = field(default_factory=set)
    last: set[State] = field(default_factory=set)
    empty: bool = True


class Automaton:
    """``reads``: the characters of each state, which stand on the moves into it."""

    def __init__(self, pattern: re.Pattern[Any], *, searched: bool, whole: bool) -> None:
        self.flags, self.is_bytes = pattern.flags, isinstance(pattern.pattern, bytes)
        self.reads: list[frozenset[str]] = [frozenset()]
        self.follow: dict[State, set[State]] = {START: set()}
        self.twice: set[tuple[State, State]] = set()
        """Moves that nested repeats make in two ways."""
        tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE if self.is_bytes else pattern.flags)
        first = next(iter(tree), None)
        if first is not None and str(first[0]) == "AT" and str(first[1]).startswith("AT_BEGINNING"):
            searched &= bool(pattern.flags & re.MULTILINE and str(first[1]) == "AT_BEGINNING")
        named = {chr(code) for code in _codes(tree)}
        self.sample = [chr(n) for n in range(256)] if self.is_bytes else sorted({*SAMPLE, *named})
        self.at_end = False
        part = self._sequence(tree)
        before = {START}
        if searched:
            any_ = self._state(frozenset(self.sample))
            self.follow[START].add(any_)
            self.follow[any_].add(any_)
            before.add(any_)
            if first is not None and str(first[0]) == "ASSERT_NOT" and first[1][0] < 0 and len(first[1][1]) == 1:
                unlike = self._state(frozenset(self.sample) - self._class(*first[1][1][0]))
                self.follow[any_].add(unlike)
                self.follow[START].add(unlike)
                before = {START, unlike}
        for state in before:
            self.follow[state] |= part.first
        # With an anchor anywhere, no loop is sure to succeed.
        self.sure = set() if whole or self.at_end else part.last

    def _state(self, reads: frozenset[str]) -> State:
        self.reads.append(reads)
        state = len(self.reads) - 1
        self.follow[state] = set()
        return state

    def _sequence(self, nodes: Iterable[Any]) -> Part:
        whole = Part()
        for node in nodes:
            self._append(whole, self._part(*node))
        return whole

    def _append(self, whole: Part, part: Part) -> None:
        self._join(whole.last, part.first)
        whole.first |= part.first if whole.empty else set()
        whole.last = part.last | whole.last if part.empty else part.last
        whole.empty &= part.empty

    def _join(self, lasts: set[State], firsts: set[State]) -> None:
        for move in product(lasts, firsts):
            if move[1] in self.follow[move[0]]:
                self.twice.add(move)
            self.follow[move[0]].add(move[1])

    def _part(self, kind: Any, content: Any) -> Part:
        name = str(kind)
        if name in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            state = self._state(self._class(kind, content))
            return Part({state}, {state}, empty=False)
        if name == "SUBPATTERN":
            return self._sequence(content[-1])
        if name == "ATOMIC_GROUP":
            return self._sequence(content)
        if name == "BRANCH":
            parts = [self._sequence(branch) for branch in content[1]]
            if sum(not branch for branch in content[1]) > 1:  # nothing matches in two ways
                parts.append(self._part(_parser.GROUPREF, 0))
            return Part(
                set().union(*(part.first for part in parts)),
                set().union(*(part.last for part in parts)),
                any(part.empty for part in parts),
            )
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self._repeat(*content)
        if name in ("AT", "ASSERT", "ASSERT_NOT"):
            looks_back = "BEGINNING" in str(content) if name == "AT" else content[0] < 0
            self.at_end |= not looks_back
            return Part()
        if name == "GROUPREF":  # may read anything
            state = self._state(frozenset(self.sample))
            self.follow[state].add(state)
            return Part({state}, {state}, empty=True)
        raise NotImplementedError(name)

    def _repeat(self, least: int, most: Any, nodes: Any) -> Part:
        endless = most is _parser.MAXREPEAT
        copies = max(min(least if endless else int(most), MOST_COPIES), 1)
        whole, ends, previous = Part(), set(), Part()
        for nth in range(copies):
            part = self._sequence(nodes)
            if endless and nth == copies - 1:
                self._join(part.last, part.first)
            if nth < least:
                self._append(whole, part)
            else:  # a further copy comes only after the one before
                optional = Part(part.first, part.last, empty=True)
                self._append(whole, optional) if nth == least else self._join(previous.last, part.first)
                ends |= part.last
            previous = part
        whole.last |= ends
        return whole

    def _class(self, kind: Any, content: Any) -> frozenset[str]:
        one = _parser.SubPattern(_parser.State(), [(kind, content)])
        one.state.flags, one.state.str = self.flags, b"" if self.is_bytes else ""
        pattern = _compiler.compile(one, self.flags)
        encode = (lambda character: character.encode("latin-1")) if self.is_bytes else str
        return frozenset(character for character in self.sample if pattern.fullmatch(encode(character)))

    def moves(self, states: tuple[State, ...]) -> Iterator[tuple[State, ...]]:
        """States reached together, by one character."""
        for reached in product(*(self.follow[state] for state in states)):
            if frozenset.intersection(*(self.reads[state] for state in reached)):
                yield reached

    def reaches(self, start: tuple[State, ...], goal: tuple[State, ...], without: Collection[State] = ()) -> bool:
        """Whether these states reach those over one word, without passing some states."""
        seen: set[tuple[State, ...]] = set()
        open_ = [start]
        while open_:
            for reached in self.moves(open_.pop()):
                if not set(without).isdisjoint(reached):
                    continue
                if reached == goal:
                    return True
                if reached not in seen:
                    seen.add(reached)
                    open_.append(reached)
        return False


def _codes(tree: Any) -> Iterator[int]:
    for kind, content in tree:
        if str(kind) in ("LITERAL", "NOT_LITERAL"):
            yield from (content, max(content - 1, 0), content + 1)
        elif str(kind) == "RANGE":
            yield from (content[0], content[1], max(content[0] - 1, 0), min(content[1] + 1, 0x10FFFF))
        else:
            stack = [content]
            while stack:
                part = stack.pop()
                if isinstance(part, _parser.SubPattern) or (
                    isinstance(part, list) and part and isinstance(part[0], tuple)
                ):
                    yield from _codes(part)
                elif isinstance(part, list | tuple):
                    stack.extend(part)


def growth(pattern: re.Pattern[Any], *, searched: bool, whole: bool = False) -> str:
    """``linear``, ``polynomial`` or ``exponential``: how the time of a failing match may grow with its text.

    Parameters
    ----------
    searched : the match may begin anywhere (search, sub, split, findall, finditer).
    whole : it must end at the end of the text (fullmatch).
    """
    automaton = Automaton(pattern, searched=searched, whole=whole)
    states = list(automaton.follow)
    loops = [state for state in states if automaton.reaches((state,), (state,))]
    may_fail = [state for state in loops if automaton.reaches((state,), (state,), without=automaton.sure)]
    if any(_has_two_paths(automaton, state) for state in may_fail):
        return "exponential"
    pairs = ((first, second) for first, second in product(loops, may_fail) if first != second)
    ambiguous = any(automaton.reaches((first, first, second), (first, second, second)) for first, second in pairs)
    return "polynomial" if ambiguous else "linear"


def _has_two_paths(automaton: Automaton, state: State) -> bool:
    """Whether over one word there are two paths from a state to itself."""
    if any(
        automaton.reaches((state,), (start,)) or state == start
        for start, end in automaton.twice
        if end == state or automaton.reaches((end,), (state,))
    ):
        return True
    seen: set[tuple[State, ...]] = set()
    open_: list[tuple[State, ...]] = [(state, state)]
    while open_:
        for pair in automaton.moves(open_.pop()):
            if pair not in seen:
                seen.add(pair)
                open_.append(pair)
    return any(one != other and automaton.reaches((one, other), (state, state)) for one, other in seen)
