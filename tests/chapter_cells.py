"""Run the cells of a chapter without a kernel, on any study, and see what they show."""

import ast
import json
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def shown(stem, study, **parameters):
    """What the cells of a chapter display, by cell id; parameters as a study would set them."""
    cells = json.loads((NOTEBOOKS / f"{stem}.ipynb").read_text("utf-8"))["cells"]
    names, values = {}, {}
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
            values[cell["id"]] = eval(
                compile(ast.Expression(last.value), cell["id"], "eval"), names
            )
    return values
