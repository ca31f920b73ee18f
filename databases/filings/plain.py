"""Turn a part of a report's markup into plain lines, a table's row on a line of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml import etree

IX = "http://www.xbrl.org/2013/inlineXBRL"
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "body",
        "br",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "thead",
        "tr",
        "ul",
    ]
)
_CELLS = frozenset(("td", "th"))
_UNSEEN = frozenset(("header", "hidden", "exclude", "script", "style", "head"))
_SPACES = re.compile(r"[\s\u00a0\u2000-\u200b\u202f]+")
_HIDING = re.compile(r"display\s*:\s*none", re.IGNORECASE)


def lines(parts: Iterable[etree._Element]) -> list[str]:
    """The visible text of these elements, one after another; no empty line."""
    page = _Page()
    for part in parts:
        page.read(part)
        page.break_line()
    return page.lines


def text_of(element: etree._Element) -> str:
    """The text inside an element, as it stands there, without what is excluded from it."""
    if not len(element):
        return element.text or ""
    said = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and _local(child.tag) != "exclude":
            said.append(text_of(child))
        said.append(child.tail or "")
    return "".join(said)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


class _Page:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._parts: list[str] = []
        self._rows = 0

    def break_line(self) -> None:
        line = _SPACES.sub(" ", "".join(self._parts)).strip()
        self._parts.clear()
        if line:
            self.lines.append(line)

    def read(self, root: etree._Element) -> None:
        unseen: etree._Element | None = None
        for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                if unseen is None and self._is_unseen(node):
                    unseen = node
                if unseen is None:
                    self._open(_local(node.tag), node.text)
                continue
            if unseen is None and event == "end":
                self._close(_local(node.tag))
            if node is unseen:
                unseen = None
            # The tail of what is not seen, and of a comment, is seen.
            if unseen is None and node is not root and node.tail:
                self._parts.append(node.tail)

    def _open(self, tag: str, text: str | None) -> None:
        if tag == "tr":
            self.break_line()
            self._rows += 1
        else:
            self._space(tag)
        if text:
            self._parts.append(text)

    def _close(self, tag: str) -> None:
        if tag == "tr":
            self._rows -= 1
            if not self._rows:
                self.break_line()
        else:
            self._space(tag)

    def _space(self, tag: str) -> None:
        """What stands in a row stays on its line."""
        if tag in _CELLS or (self._rows and tag in _BLOCKS):
            self._parts.append(" ")
        elif tag in _BLOCKS:
            self.break_line()

    @staticmethod
    def _is_unseen(node: etree._Element) -> bool:
        if _local(node.tag) in _UNSEEN:
            return True
        style = node.get("style")
        return style is not None and bool(_HIDING.search(style))
