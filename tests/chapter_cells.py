"""Run the cells of a chapter without a kernel, on any study, and see what they show."""

import ast
import json
from pathlib import Path

from helpers.results import Results

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def run(chapter, study, **parameters):
    """Run a chapter as a study would set its parameters.

    Returns what its cells display, in order, and the entries that it hands to the ledger.
    """
    cells = json.loads((NOTEBOOKS / f"{chapter}.ipynb").read_text("utf-8"))["cells"]
    names, shown = {}, []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        *body, last = ast.parse("".join(cell["source"])).body
        if not isinstance(last, ast.Expr):
            body, last = [*body, last], None
        exec(compile(ast.Module(body, []), cell["id"], "exec"), names)
        if "parameters" in cell["metadata"].get("tags", []):
            names.update(parameters, study=str(study))
        if last:
            expression = compile(ast.Expression(last.value), cell["id"], "eval")
            shown.append(eval(expression, names))
    entries = [entry for one in shown if isinstance(one, Results) for entry in one.entries]
    return [one for one in shown if not isinstance(one, Results)], entries


def texts(shown):
    """All that is shown as text, one after the other."""
    return "\n".join(one for one in shown if isinstance(one, str))
