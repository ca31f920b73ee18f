"""The examiner of pages itself: it finds what is wrong, and says nothing where nothing is."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from tests.analysis.browser import browser
from tests.support import axe
from tests.support.needs import needs

pytestmark = [pytest.mark.real, needs("chromium", "npm")]

PAGE = '<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>{}</main></html>'


def test_axe_finds_a_button_without_a_name_and_pale_words_and_lets_a_sound_page_pass(
    tmp_path: Path,
) -> None:
    with browser(tmp_path / "profile") as tab:
        tab.open("data:text/html," + quote(PAGE.format("<button>Go</button>")))
        assert axe.serious(tab) == []
        wrong = '<button></button><p style="color: #ccc; background: #fff">pale</p>'
        tab.open("data:text/html," + quote(PAGE.format(wrong)))
        found = [line.partition(":")[0] for line in axe.serious(tab)]
        assert sorted(found) == ["button-name", "color-contrast"]
