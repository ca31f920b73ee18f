"""Names become objects: built in, installed beside us, or written out as `module:attribute`."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import plugins
from core.errors import ConfigError, UnknownNameError
from core.trajectory import StopReason

BUILTIN = {"stop": "core.trajectory:StopReason"}

PLUGIN = '''
"""A plug-in of somebody else's."""


class WalkAgent:
    name = "walk"
'''
ENTRY_POINTS = """
[ddr.agents]
walk = strangers_plugin:WalkAgent
stop = strangers_plugin:WalkAgent
broken = strangers_plugin:Gone
absent = strangers_missing_plugin:WalkAgent

[ddr.scenarios]
walks = strangers_plugin

[ddr.checkers]
strict = strangers_plugin:WalkAgent
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution with entry points, as pip would leave it."""
    (tmp_path / "strangers_plugin.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "strangers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_a_built_in_name_gives_its_object() -> None:
    assert plugins.load("ddr.agents", "stop", BUILTIN) is StopReason


@pytest.mark.usefixtures("installed")
def test_an_installed_plug_in_is_found_by_its_name() -> None:
    assert plugins.load("ddr.agents", "walk", BUILTIN).name == "walk"


@pytest.mark.usefixtures("installed")
def test_a_plug_in_cannot_take_a_built_in_name() -> None:
    assert plugins.load("ddr.agents", "stop", BUILTIN) is StopReason


@pytest.mark.usefixtures("installed")
def test_a_plug_in_of_one_kind_does_not_answer_for_another() -> None:
    with pytest.raises(UnknownNameError):
        plugins.load("ddr.agents", "strict", BUILTIN)


@pytest.mark.usefixtures("installed")
def test_a_plug_in_may_be_a_whole_module_as_scenarios_are() -> None:
    assert plugins.load("ddr.scenarios", "walks", {}).__name__ == "strangers_plugin"


def test_an_attribute_of_any_module_can_be_written_out() -> None:
    assert plugins.load("ddr.checkers", "core.trajectory:StopReason", {}) is StopReason


@pytest.mark.usefixtures("installed")
def test_an_unknown_name_lists_built_in_and_installed_ones() -> None:
    with pytest.raises(UnknownNameError) as caught:
        plugins.load("ddr.agents", "wlak", BUILTIN)
    assert str(caught.value) == (
        "unknown agent 'wlak' (did you mean 'walk'?); known: absent, broken, stop, walk"
    )


@pytest.mark.parametrize(
    ("group", "word"),
    [
        ("ddr.providers", "provider"),
        ("ddr.sandboxes", "sandbox"),
        ("ddr.checkers", "checker"),
        ("ddr.agents", "agent"),
        ("ddr.scenarios", "scenario"),
    ],
)
def test_the_error_calls_the_thing_by_its_kind(group: plugins.Group, word: str) -> None:
    with pytest.raises(UnknownNameError, match=f"^unknown {word} 'nothing'"):
        plugins.load(group, "nothing", {})


@pytest.mark.parametrize(
    "path",
    ["no_such_module:x", "core.trajectory:Missing", "core.trajectory:", ":thing", ":", "a b:c"],
)
def test_a_path_that_leads_nowhere_is_a_configuration_error_that_quotes_it(path: str) -> None:
    with pytest.raises(ConfigError, match="cannot load") as caught:
        plugins.load("ddr.agents", path, {})
    assert repr(path) in str(caught.value)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["broken", "absent"])
def test_a_plug_in_that_cannot_be_imported_is_a_configuration_error_too(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot load 'strangers_"):
        plugins.load("ddr.agents", name, BUILTIN)


@pytest.mark.usefixtures("installed")
def test_known_names_are_sorted_and_told_once_each() -> None:
    assert plugins.known("ddr.agents", BUILTIN) == ["absent", "broken", "stop", "walk"]
