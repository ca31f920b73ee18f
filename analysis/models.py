"""What is known of models beside their scores: family, size, context, generation (paper Fig. 7)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError

from core.errors import ConfigError
from core.record import Record

FILE: Final = "models.toml"
Value = str | float
_MOST_BYTES: Final = 1_000_000


class ModelFacts(Record):
    """One model; None = nobody says."""

    name: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    family: str | None = None
    """Its line of products: models of one family differ in size, context or generation."""
    generation: str | None = None
    total_b: float | None = Field(default=None, gt=0)
    """Parameters, in billions (10^9)."""
    active_b: float | None = Field(default=None, gt=0)
    """Of these, those that work on each token, in billions."""
    context_tokens: int | None = Field(default=None, gt=0)
    """The longest prompt that its card states."""
    released: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}$")
    """Year and month."""
    attributes: Mapping[str, Value] = Field(default_factory=dict)
    """Whatever else somebody wants to tell models apart by."""

    def value(self, attribute: str) -> Value | None:
        """Of one of ATTRIBUTES, or of `attributes`."""
        found: Value | None = (
            getattr(self, attribute) if attribute in ATTRIBUTES else self.attributes.get(attribute)
        )
        return found


ATTRIBUTES: Final = (
    "family",
    "generation",
    "total_b",
    "active_b",
    "context_tokens",
    "released",
)


class ModelTable:
    """Models by any usual spelling of their names."""

    def __init__(self, models: Iterable[ModelFacts]) -> None:
        """Of two that share a name the later one holds."""
        self._found = {plain(name): each for each in models for name in (each.name, *each.aliases)}

    def of(self, model: str | None) -> ModelFacts | None:
        """None where nothing is known of it."""
        return self._found.get(plain(model)) if model else None

    def attributes(self) -> list[str]:
        """Every attribute that any model has, the usual ones first."""
        more = {name for each in self._found.values() for name in each.attributes}
        return [*ATTRIBUTES, *sorted(more)]


def plain(name: str) -> str:
    """'openai/gpt-5-mini' and 'GPT-5 mini' are the same. A name without a letter stays as it is."""
    bare = name.rpartition("/")[2].casefold()
    return re.sub(r"[\W_]", "", bare) or bare


@cache
def shipped() -> tuple[ModelFacts, ...]:
    """Those that come with us."""
    return tuple(_parse(FILE, files(__package__).joinpath(FILE).read_text("utf-8")))


def model_table(own: Sequence[Path] = ()) -> ModelTable:
    """Ours, then those of these files, each of which overrides what was there of the same name.

    Raises ConfigError.
    """
    return ModelTable([*shipped(), *(each for path in own for each in read_models(path))])


def read_models(path: Path) -> list[ModelFacts]:
    """Of a file of one's own. Raises ConfigError, with what belongs there."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ConfigError(
                f"{path}: larger than {_MOST_BYTES:,} bytes: this is no list of models"
            )
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        why = getattr(exc, "strerror", None) or "it is no text in UTF-8"
        raise ConfigError(f"{path}: the models cannot be read: {why}") from exc
    return _parse(str(path), text)


def _parse(where: str, text: str) -> list[ModelFacts]:
    try:
        read: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as exc:
        raise ConfigError(f"{where}: {exc}") from exc
    listed = read.get("models")
    if not isinstance(listed, list) or set(read) != {"models"}:
        raise ConfigError(
            f"{where}: a list of models is made of [[models]] tables and nothing else"
        )
    found = []
    for number, each in enumerate(listed, start=1):
        try:
            found.append(ModelFacts.model_validate(each))
        except ValidationError as exc:
            first = exc.errors()[0]
            key = ".".join(map(str, first["loc"])) or "it"
            known = ", ".join(name for name in ModelFacts.model_fields)
            raise ConfigError(
                f"{where}: model {number}: {key}: {first['msg']}; known keys: {known}"
            ) from exc
    return found
