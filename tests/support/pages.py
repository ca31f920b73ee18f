"""The Markdown pages of the project: their commands, links and headings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^([ \t]*)(```+|~~~+)(.*?)^\1\2\s*$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_COMMAND = re.compile(r"^(?:\$ )?(?:\w+=\S+ )*(?:\./)?ddr(?= |$)")


@dataclass(frozen=True)
class Command:
    """A `ddr` command line as a page shows it."""

    page: str
    text: str
    words: tuple[str, ...]
    """What follows `ddr`, cut at the first pipe, redirection or further command."""


@cache
def pages() -> tuple[Path, ...]:
    """README, CONTRIBUTING and everything below docs/."""
    top = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return (*top, *sorted((ROOT / "docs").rglob("*.md")))


def title(page: Path) -> str:
    """The page's path in the project."""
    return page.relative_to(ROOT).as_posix()


def text(page: Path) -> str:
    """What the page says."""
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> Iterator[str]:
    """The fenced and the indented blocks of code."""
    said = text(page)
    for fence in _FENCE.finditer(said):
        yield fence[3].partition("\n")[2]
    yield "\n".join(re.findall(r"^(?: {4}|\t)(\S.*)$", _FENCE.sub("", said), re.MULTILINE))


def commands(page: Path) -> Iterator[Command]:
    """Every `ddr` command that the page shows, in blocks and between backticks."""
    for block in blocks(page):
        for line in block.replace("\\\n", " ").splitlines():
            yield from command_in(page, line.strip())
    for span in _SPAN.finditer(_FENCE.sub("", text(page))):
        yield from command_in(page, " ".join(span[2].split()))


def command_in(page: Path, line: str) -> Iterator[Command]:
    """The `ddr` command that a line begins with, if it does."""
    found = _COMMAND.match(line)
    if not found:
        return
    # Brackets mark what may be left out, braces what is filled in; both are still options.
    rest = line[found.end() :].replace("[", " ").replace("]", " ")
    lexer = shlex.shlex(rest, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if set(word) <= set("|&;<>()"):
            break
        words.append(word)
    yield Command(title(page), line, tuple(words))


def links(page: Path) -> Iterator[str]:
    """Where the page's links lead, addresses on the web left out."""
    for target in _LINK.findall(_FENCE.sub("", text(page))):
        if not re.match(r"[a-z]+:", target):
            yield target


def anchors(page: Path) -> set[str]:
    """The names by which the page's headings are linked to."""
    headings = re.findall(r"^#{1,6} +(.+?) *#*$", _FENCE.sub("", text(page)), re.MULTILINE)
    plain = (re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}
