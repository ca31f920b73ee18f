"""The agent's libraries: each works inside, and what is drawn comes out as pictures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.protocols import CellResult
from tests.contracts.sandbox import Session
from tests.tools.support import needs_sandbox
from tools.limits import ToolLimits
from tools.python.sandbox import BubblewrapSandbox
from tools.python.session import render_cell

pytestmark = [needs_sandbox(), pytest.mark.real]
MOST_SECONDS = 120.0
"""Generous: the libraries may have to be compiled first, on a machine that is busy."""


@pytest.fixture(scope="module")
def cell() -> Iterator[Session]:
    session = Session(BubblewrapSandbox())
    yield session
    session.close()


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("pd.Series([1, 2, 3]).mean()", "np.float64(2.0)"),
        ("import scipy.stats\nround(float(scipy.stats.norm.cdf(1.96)), 3)", "0.975"),
        (
            "import scipy.optimize\nround(float(scipy.optimize.brentq(lambda x: x * x - 2, 0, 2)), 6)",
            "1.414214",
        ),
        (
            "from sklearn.linear_model import LinearRegression\n"
            "m = LinearRegression().fit([[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0])\n"
            "round(float(m.coef_[0]), 6)",
            "2.0",
        ),
        (
            "from sklearn.cluster import KMeans\n"
            "len(set(KMeans(2, n_init=2).fit_predict([[0.0], [0.1], [9.0], [9.1]])))",
            "2",
        ),
        (
            "from sklearn.ensemble import RandomForestClassifier\n"
            "f = RandomForestClassifier(20, n_jobs=2).fit([[i] for i in range(40)], [0] * 20 + [1] * 20)\n"
            "f.predict([[0], [39]]).tolist()",
            "[0, 1]",
        ),
        (
            "import statsmodels.formula.api as smf\n"
            "d = pd.DataFrame({'x': np.arange(9.0), 'y': 3 * np.arange(9.0) + 1})\n"
            "r = smf.ols('y ~ x', d).fit()\n"
            "r.params.round(6).tolist(), 'R-squared' in str(r.summary())",
            "([1.0, 3.0], True)",
        ),
        (
            "import statsmodels.api as sm\n"
            "round(float(sm.tsa.acf(np.sin(np.arange(100.0)), nlags=1)[0]), 6)",
            "1.0",
        ),
        ("import joblib\njoblib.Parallel(2)(joblib.delayed(abs)(i) for i in (1, -2))", "[1, 2]"),
        ("import multiprocessing as m\nwith m.Pool(2) as p: r = p.map(abs, [1, -2])\nr", "[1, 2]"),
    ],
)
def test_a_library_works(cell: Session, code: str, value: str) -> None:
    result = cell.run(code, wall_s=MOST_SECONDS)
    assert result.error is None, result.error
    assert result.value == value
    assert result.violations == (), "what a library does by itself is no attempt"


def test_helpers_that_ended_with_their_cell_are_no_matter_later(cell: Session) -> None:
    code = "import joblib\njoblib.Parallel(2)(joblib.delayed(abs)(i) for i in (1, -2))"
    for _ in range(2):
        assert cell.run(code, wall_s=MOST_SECONDS).value == "[1, 2]"
        after = cell.run("import time; time.sleep(1)\n1 + 1")
        assert (after.value, after.stdout, after.violations) == ("2", "", ())


def test_a_figure_is_drawn_with_fonts_and_without_a_word(cell: Session) -> None:
    code = (
        "import matplotlib.pyplot as plt\n"
        "fig, ax = plt.subplots()\n"
        "ax.bar(['a', 'b'], [1, 2]); ax.set_title('Täglich: $\\\\alpha^2$'); plt.show()\n"
        "import matplotlib; matplotlib.get_backend()"
    )
    result = cell.run(code, wall_s=MOST_SECONDS)
    assert (result.error, result.stdout, result.violations) == (None, "", ())
    assert result.value in {"'agg'", "'Agg'"}
    width, height = (int.from_bytes(result.figures[0][at : at + 4], "big") for at in (16, 20))
    assert (width > 300, height > 200) == (True, True)


def test_a_figure_of_a_cell_that_failed_comes_back_too(cell: Session) -> None:
    result = cell.run(
        "import matplotlib.pyplot as plt; plt.plot([1, 2])\n1 / 0", wall_s=MOST_SECONDS
    )
    assert "ZeroDivisionError" in (result.error or "")
    assert len(result.figures) == 1
    assert cell.run("plt.get_fignums()").value == "[]"


def test_more_figures_than_are_taken_are_counted(cell: Session) -> None:
    result = cell.run(
        "import matplotlib.pyplot as plt\nfor i in range(6): plt.figure(); plt.plot([i])",
        wall_s=MOST_SECONDS,
    )
    assert len(result.figures) == 4
    assert result.stdout == "[6 figures were open; the first 4 are taken]\n"


def test_a_figure_beyond_its_bytes_is_drawn_smaller_or_left_out(cell: Session) -> None:
    noise = "import matplotlib.pyplot as plt; plt.figure(figsize=({0}, {0})); plt.imshow(np.random.rand(900, 900, 3))"
    smaller = cell.run(noise.format(7), wall_s=MOST_SECONDS)
    assert [len(picture) <= 500_000 for picture in smaller.figures] == [True]
    left_out = cell.run(noise.format(30), wall_s=MOST_SECONDS)
    assert left_out.figures == ()
    assert "is left out: it takes more than 500,000 bytes" in left_out.stdout


def test_a_figure_that_cannot_be_drawn_is_named(cell: Session) -> None:
    result = cell.run(
        "import matplotlib.pyplot as plt; plt.figure(); plt.title('$\\\\nonsense{$')",
        wall_s=MOST_SECONDS,
    )
    assert result.figures == ()
    assert result.stdout.startswith("[figure 1 cannot be drawn (")
    assert cell.run("plt.get_fignums()").value == "[]"


@pytest.mark.parametrize("said", ["'no base64!'", "'aGVsbG8='", "7", "['x']", "'iVBORw0KGgo=' * 3"])
def test_what_is_no_picture_is_not_believed(cell: Session, said: str) -> None:
    number = cell.kernel._cells + 1  # type: ignore[attr-defined] # as a cell could guess it
    code = (
        "import json, os, struct\n"
        f"for _ in range(9):\n"
        f"    m = json.dumps({{'op': 'figure', 'id': {number}, 'png': {said}}}).encode()\n"
        "    n = os.write(3, struct.pack('>I', len(m)) + m)\n"
    )
    figures = cell.run(code).figures
    assert all(picture.startswith(b"\x89PNG\r\n\x1a\n") for picture in figures)
    assert len(figures) <= 4


def test_a_reply_says_how_many_figures_there_are() -> None:
    for count, said in (
        (0, None),
        (1, "1 figure was drawn (PNG)."),
        (3, "3 figures were drawn (PNG)."),
    ):
        shown = render_cell(CellResult(figures=(b"x",) * count), None, [], ToolLimits(), 8000)
        assert shown["note"] == said
