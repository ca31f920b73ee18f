"""Choose among what a scenario can be built as: its options checked, its variants named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from core.errors import ConfigError, UnknownNameError, UsageError
from core.record import Record
from databases.manifest import ID, BuildSection, Manifest, OptionValue

NAME: Final = "variant.json"
FLAGS: Final = (
    *("from", "synthetic", "entities", "rows", "seed", "as_is", "anonymise", "fetch", "contact"),
    *("tables", "notes", "export_layout"),
)
"""The options that `ddr scenarios build` has a spelling of its own for; all others are given by --set."""
Options = Mapping[str, OptionValue]


class VariantRecord(Record):
    """What stands in variant.json: what a scenario of somebody's own is a variant of."""

    base: str
    options: dict[str, OptionValue]


def choose(manifest: Manifest, given: Options, name: str | None = None) -> Manifest:
    """The manifest as it is with these options, under its own name where they make it another scenario.

    Raises UsageError or UnknownNameError where the scenario does not take an option.
    """
    section = manifest.build
    if section is None:
        if given:
            raise UsageError(
                f"{manifest.id} is a database that is there already: it takes no options"
            )
        return manifest
    options = {**section.options, **_checked(manifest.id, section, given)}
    switches = [switch for switch in section.variants if options.get(switch)]
    changed = {
        "seed": str(options.get("seed", section.seed)),
        "options": options,
        "variants": {},
    }
    new_id = name or "-".join([manifest.id, *(s.replace("_", "-") for s in switches)])
    if not re.fullmatch(ID, new_id):  # it names folders and files: no path may be made of it
        raise UsageError(
            f"{new_id!r} is no name of a scenario: small letters, digits, - and _, a letter first, 40 at "
            "most; give another --name"
        )
    if new_id != manifest.id:
        changed["base"] = manifest.id
    update: dict[str, object] = {"id": new_id}
    if switches:
        variant = section.variants[switches[0]]
        update.update({k: v for k, v in dict(variant).items() if v is not None})
    if new_id == manifest.id:
        changed["variants"] = section.variants
    update["build"] = section.model_copy(update=changed)
    return manifest.model_copy(update=update)


def refuse_missing(manifest: Manifest) -> None:
    """Raise UsageError where an option is missing without which there is nothing to build from."""
    section = manifest.build
    if section is None or not section.needs_one_of:
        return
    if not any(section.options.get(option) for option in section.needs_one_of):
        ways = " or ".join(map(spelt, section.needs_one_of))
        raise UsageError(f"{manifest.id} is not made from nothing: give {ways}")


def read_variant(folder: Path) -> VariantRecord | None:
    """What a folder's scenario is a variant of; None where it is none."""
    try:
        return VariantRecord.model_validate_json((folder / NAME).read_bytes())
    except OSError:
        return None
    except ValidationError as exc:
        raise ConfigError(f"{folder / NAME} cannot be read: {exc}") from exc


def spelt(option: str) -> str:
    """An option as it is typed: '--as-is', '--set slope='."""
    return f"--{option.replace('_', '-')}" if option in FLAGS else f"--set {option}="


def within(options: Options, option: str, least: float, most: float) -> float:
    """A number among the options, given by `--set`. Raises UsageError out of bounds, and for NaN."""
    value = float(options[option])
    if not least <= value <= most:
        raise UsageError(f"--set {option}= is from {least:g} to {most:g}, not {value:g}")
    return value


def _checked(scenario_id: str, section: BuildSection, given: Options) -> dict[str, OptionValue]:
    checked: dict[str, OptionValue] = {}
    for option, value in given.items():
        if option not in section.options:
            raise UnknownNameError(f"option of {scenario_id}", option, section.options)
        checked[option] = _as_type_of(option, section.options[option], value)
    return checked


def _as_type_of(option: str, default: OptionValue, value: OptionValue) -> OptionValue:
    """The value in the type of its default; texts are read ('0.5', 'true')."""
    try:
        if isinstance(default, bool):
            return _switch(value)
        if isinstance(default, str):
            return str(value)
        if isinstance(value, bool):
            raise ValueError
        return type(default)(value)
    except ValueError as exc:
        wanted = {bool: "true or false", int: "a whole number", float: "a number"}[type(default)]
        raise UsageError(f"{spelt(option)} is {wanted}, not {value!r}") from exc


def _switch(value: OptionValue) -> bool:
    if isinstance(value, bool):
        return value
    known = {"true": True, "false": False}
    if str(value).lower() not in known:
        raise ValueError
    return known[str(value).lower()]
