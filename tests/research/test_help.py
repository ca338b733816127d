"""``--help`` states the purpose of a command and the defaults of its options."""

from __future__ import annotations

import argparse

import pytest

from research.cli import build_parser

COMMANDS: dict[str, argparse.ArgumentParser] = next(
    action.choices for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)
)


@pytest.mark.parametrize("command", ["floors", "scale", "trials"])
def test_a_command_says_what_it_does_and_what_holds_without_each_option(command: str) -> None:
    assert COMMANDS[command].description
    for action in COMMANDS[command]._actions:
        if action.option_strings and action.default not in (None, False, argparse.SUPPRESS):
            assert "%(default)s" in str(action.help), f"{command} {action.option_strings}"
