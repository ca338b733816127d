"""``--help`` of every command: its effect, and the default of each option."""

from __future__ import annotations

import argparse

import pytest

from research.cli import build_parser

COMMANDS: dict[str, argparse.ArgumentParser] = next(
    action.choices for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)
)


@pytest.mark.parametrize("command", ["floors", "trials"])
def test_help_states_a_commands_effect_and_each_options_default(command: str) -> None:
    assert COMMANDS[command].description
    for action in COMMANDS[command]._actions:
        if action.option_strings and action.default not in (None, False, argparse.SUPPRESS):
            assert "%(default)s" in str(action.help), f"{command} {action.option_strings}"
