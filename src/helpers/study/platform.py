"""The perception platform's saves (JSON, one per evaluator) turned into a study's folder.

Evaluators' specialties and years, cases' specialties and groups and models' benchmarks are not in
the saves: those cells stay blank. Whatever else cannot be placed is named in the report.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from helpers.errors import HelpersError
from helpers.study.faults import Findings, counted, listed, message, plain, show
from helpers.study.folder import CONFIG, write_new
from helpers.study.load import check
from helpers.study.placing import (
    ASIDE,
    DIMENSIONS,
    HIGHEST,
    LOWEST,
    Placed,
    identifier,
    place_save,
)
from helpers.study.saves import files_of, parse

# The platform's own names for its physicians, best first, and how names of models begin.
PHYSICIANS = {"expert": "senior", "middle": "mid-level", "young": "junior"}
FAMILIES = {
    "gpt": "GPT",
    "deepseek": "DeepSeek",
    "gemini": "Gemini",
    "qwen": "Qwen",
    "qwq": "Qwen",
    "claude": "Claude",
    "llama": "Llama",
    "mistral": "Mistral",
}

HEAD = """\
# Made by `make import-platform`. Give it its title, and fill in the blank cells of the CSV files.
# Partial rankings are dropped here (and counted), since saves of an unfinished evaluation have
# them; set `refuse` once all are complete.
"""


def import_platform(source: str | Path, folder: str | Path) -> str:
    """Turn saves of the perception platform into a study's folder, whole or not at all.

    Parameters
    ----------
    source : str or Path
        A save, a folder of saves or a pattern such as `saves/*.json`.
    folder : str or Path
        The new folder.

    Returns
    -------
    str
        What was imported, what could not be placed, and which cells are left to fill in.

    Raises
    ------
    HelpersError
        If a file is no save, two saves are of the same evaluator, nothing is rated yet, or the
        folder cannot be written; nothing is written then.
    """
    found, placed = Findings(), Placed()
    saves: dict[str, str] = {}
    files = files_of(source)
    for file in files:
        save = parse(file, found)
        if save is None:
            continue
        name = _username(save, file, found, placed)
        twin = saves.setdefault(name.casefold(), file.name)
        if name and twin != file.name:
            found.fault(plain(file.name), f"same username as {plain(twin)}; keep one of them")
        elif name:
            place_save(save, name, file.name, placed)
    if found.faults:
        raise HelpersError(message(f"platform saves {plain(source, limit=200)}", found.faults))
    if not placed.rows:
        title = f"platform saves {plain(source, limit=200)}: nothing to import"
        raise HelpersError("\n".join([title, *_told(placed)]))
    write_new(Path(folder), _study_files(placed))
    return _report(placed, len(files), Path(folder))


def _username(save: dict[str, Any], file: Path, found: Findings, placed: Placed) -> str:
    """Give the evaluator's id: the user name or, in a save without one, the file's name."""
    if "username" not in save:
        placed.miss("no username; the file's name is taken", plain(file.name))
    told = save.get("username", file.stem)
    name = identifier(told)
    if not name:
        found.fault(plain(file.name), f"{show(told)} is no name", "username")
    return name


def _study_files(placed: Placed) -> dict[str, str]:
    labels = {code: label for code, (label, *_) in DIMENSIONS.items()}
    if placed.codes.keys() - {ASIDE}:  # otherwise only rankings so far: the columns stay, blank
        known = {code: label for code, label in labels.items() if code in placed.codes}
        labels = known | placed.codes
    config: dict[str, Any] = {
        "title": "Ratings from the perception platform",
        "kind": "perception",
        "simulated": False,
        "dimensions": [
            {"code": code, "label": label, "min": LOWEST, "max": HIGHEST}
            for code, label in labels.items()
            if code != ASIDE
        ],
        "best_rank": "lowest",
        "ties": "refused",
        "partial_rankings": "drop",
    }
    analysts = [[name, *_nature(name)] for name in _distinct(placed, "analyst")]
    # What chapters take for the order of levels is the paper's, which has other names.
    found = {level for _, _, level, _ in analysts}
    if levels := [level for level in PHYSICIANS.values() if level in found]:
        config["parameters"] = {"levels": levels}
    cases = sorted(_distinct(placed, "case"), key=int)
    columns = ["evaluator", "case", "analyst", *labels, "rank", "tier", "timestamp"]
    rows = [[row.get(column, "") for column in columns] for row in placed.rows]
    return {
        CONFIG: HEAD + yaml.safe_dump(config, sort_keys=False, allow_unicode=True, width=100),
        "evaluators.csv": _csv(
            ["evaluator", "specialty", "years"],
            [[name, "", ""] for name in _distinct(placed, "evaluator")],
        ),
        "cases.csv": _csv(["case", "specialty", "group"], [[case, "", ""] for case in cases]),
        "analysts.csv": _csv(["analyst", "kind", "level", "family"], analysts),
        "ratings.csv": _csv(columns, rows),
    }


def _distinct(placed: Placed, column: str) -> list[str]:
    return list(dict.fromkeys(row[column] for row in placed.rows))


def _nature(analyst: str) -> tuple[str, str, str]:
    """Guess kind, level and family from the platform's names; blank where they say nothing."""
    name = analyst.casefold()
    if name in PHYSICIANS:
        return "physician", PHYSICIANS[name], ""
    family = next((family for start, family in FAMILIES.items() if name.startswith(start)), "")
    return ("llm", "", family) if family else ("", "", "")


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _told(placed: Placed) -> list[str]:
    lines = []
    for label, reasons in (("not placed", placed.lost), ("open", placed.gaps)):
        for reason, places in reasons.items():
            lines.append(f"  {label}: {reason}: {listed(list(dict.fromkeys(places)))}")
    return lines


def _report(placed: Placed, saves: int, folder: Path) -> str:
    names = {column: _distinct(placed, column) for column in ("evaluator", "case", "analyst")}
    size = ", ".join(counted(len(values), column) for column, values in names.items())
    unknown = [plain(name) for name in names["analyst"] if not _nature(name)[0]]
    kinds = f", kind of {listed(unknown)}" if unknown else ""
    lines = [
        f"{counted(saves, 'save')} → {plain(folder, limit=200)}: {size}, "
        f"{counted(len(placed.rows), 'row')}",
        *_told(placed),
    ]
    for code in placed.codes:
        keys = [show(key) for key, column in placed.keys.items() if column == code]
        if code not in DIMENSIONS or len(keys) > 1:
            lines.append(f"  dimension {code}: {listed(keys)}")
    if ASIDE in placed.codes:
        lines.append(f"  {ASIDE}: a column of ratings.csv, no dimension (it rates no quality)")
    lines.append(
        "  fill in: study.yml title; evaluators.csv specialty, years; "
        f"cases.csv specialty, group; analysts.csv level{kinds}"
    )
    lines.append(
        "  evaluators' ids are the platform's user names: replace them if they name people"
    )
    return "\n".join([*lines, *(f"  mend: {fault}" for fault in check(folder))])
