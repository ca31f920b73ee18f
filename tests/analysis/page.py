"""Read an HTML page into a small tree that tests can ask."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta", "wbr", "col", "source"}


class Element:
    """One element: its tag, attributes and children (elements and texts)."""

    def __init__(self, tag: str, attributes: dict[str, str | None], parent: Element | None) -> None:
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children: list[Element | str] = []

    def get(self, name: str) -> str | None:
        """An attribute's value; None where it is absent."""
        return self.attributes.get(name)

    @property
    def classes(self) -> set[str]:
        """The words of the class attribute."""
        return set((self.get("class") or "").split())

    @property
    def text(self) -> str:
        """All text below, as it stands."""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    @property
    def words(self) -> str:
        """All text below, with white space run together."""
        return " ".join(self.text.split())

    def walk(self) -> Iterator[Element]:
        """This element and all below it, in document order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str | None = None, class_: str | None = None) -> list[Element]:
        """The elements below with this tag and this class."""
        return [
            e
            for e in self.walk()
            if e is not self
            and (tag is None or e.tag == tag)
            and (class_ is None or class_ in e.classes)
        ]

    def one(self, tag: str | None = None, class_: str | None = None) -> Element:
        """The only such element below."""
        found = self.all(tag, class_)
        assert len(found) == 1, f"{len(found)} of <{tag} class={class_}>"
        return found[0]

    def by_id(self, name: str) -> Element:
        """The only element with this id."""
        found = [e for e in self.walk() if e.get("id") == name]
        assert len(found) == 1, f"{len(found)} elements with id {name!r}"
        return found[0]

    def above(self, tag: str) -> Element:
        """The nearest enclosing element with this tag."""
        at = self.parent
        while at and at.tag != tag:
            at = at.parent
        assert at, f"no <{tag}> round {self.tag}"
        return at


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("#document", {}, None)
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, dict(attrs), self.at)
        self.at.children.append(made)
        if tag not in VOID:
            self.at = made

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.children.append(Element(tag, dict(attrs), self.at))

    def handle_endtag(self, tag: str) -> None:
        if tag != self.at.tag or self.at.parent is None:
            self.faults.append(f"</{tag}> closes <{self.at.tag}>")
            return
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def parse(html: str) -> Element:
    """The page's tree. Fails on a tag that is not closed, or closed twice."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.faults, reader.faults[:5]
    assert reader.at is reader.root, f"<{reader.at.tag}> is never closed"
    return reader.root
