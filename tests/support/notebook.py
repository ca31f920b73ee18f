"""Execute a notebook's code cells in one namespace, as its kernel would; run as a program, in a process of its own.

    python tests/support/notebook.py NOTEBOOK FIGURES

A kernel and its protocol are twenty packages; what has to hold is that the cells run in order on a
real export. What a cell shows is its last expression: it is evaluated and kept. Each figure that is shown goes into
the folder FIGURES. The last line of stdout is a JSON object: the cells, what each showed, the figures.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any


def code_cells(path: Path) -> list[str]:
    """The code of each cell that has some, in order."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def execute(path: Path, figures: Path) -> dict[str, Any]:
    """Run all cells. What a cell raises is raised, with the cell's number in the name of its file."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    drawn: list[str] = []

    def show() -> None:
        for number in plt.get_fignums():
            name = f"{len(drawn) + 1}.png"
            plt.figure(number).savefig(figures / name)
            drawn.append(name)
        plt.close("all")

    plt.show = show  # type: ignore[assignment]
    space: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for number, source in enumerate(code_cells(path), start=1):
        tree = ast.parse(source, filename=f"cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), space)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), space))
        else:
            shown.append(None)
        show()
    return {"cells": len(shown), "shown": [str(each) for each in shown], "figures": drawn}


if __name__ == "__main__":
    told = execute(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.write("\n" + json.dumps(told) + "\n")
