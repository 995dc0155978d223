"""Where the parts of a save of the perception platform go: rows of ratings, or a list of leftovers.

The platform ("LLM-Supported Clinical Reasoning", published with arXiv 2601.19540) keeps for each
evaluator one file: `evaluation_results` → `caseN` → `ranking` (best first), `tiers` and, for each
analyst, `dimensions` with keys `Category-Question` and scores 1 to 5, 0 meaning not rated.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from helpers.study.convert import LONGEST
from helpers.study.faults import plain, show
from helpers.study.perception import RESERVED, TIERS

LOWEST, HIGHEST = 1, 5
MOST = 100  # dimensions, in all saves together
FILE_KEYS = {
    "username",
    "created_at",
    "updated_at",
    "submitted_at",
    "current_case_index",
    "total_cases_completed",
    "evaluation_results",
}
CASE_KEYS = {"ranking", "tiers", "saved", "saved_at"}

# The platform's categories (English and Chinese) and the dimension that each is in the paper.
DIMENSIONS = {
    "inquiry": ("Inquiry Logic", "logic of consultation process", "问诊过程逻辑性"),
    "accuracy": ("Diagnostic Accuracy", "accuracy of diagnostic conclusion", "诊断结论正确性"),
    "coverage": (
        "Diagnostic Coverage",
        "comprehensiveness of diagnostic conclusion",
        "诊断结论全面性",
    ),
    "reasoning": ("Reasoning Soundness", "reasonableness of reasoning process", "推理过程合理性"),
    "treatment": (
        "Treatment Appropriateness",
        "appropriateness of treatment principles",
        "治疗原则合理性",
    ),
    "treatment_coverage": (
        "Treatment Coverage",
        "comprehensiveness of treatment principles",
        "治疗原则全面性",
    ),
    "acceptability": (
        "Clinical Acceptability",
        "perceived clinical professionalism",
        "临床专业感知",
    ),
    # Human or machine? No quality: kept as a column, left out of the dimensions.
    "ai_perception": ("AI perception", "ai perception", "ai感知"),
}
ASIDE = "ai_perception"
KNOWN = {
    name: code for code, names in DIMENSIONS.items() for name in (names[0].casefold(), *names[1:])
}


@dataclass
class Placed:
    """What was found in the saves and where it goes.

    `lost` names what goes nowhere and `gaps` what an evaluator left open: places by reason.
    """

    rows: list[dict[str, str]] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)  # code to label
    keys: dict[str, str] = field(default_factory=dict)  # the platform's key to code
    lost: dict[str, list[str]] = field(default_factory=dict)
    gaps: dict[str, list[str]] = field(default_factory=dict)

    def lose(self, reason: str, place: str) -> None:
        """Note something that cannot be placed."""
        self.lost.setdefault(reason, []).append(place)

    def miss(self, reason: str, place: str) -> None:
        """Note something that is not there."""
        self.gaps.setdefault(reason, []).append(place)


def identifier(value: object) -> str:
    """Clean a name, or give "" for what cannot be one, such as a spreadsheet's formula."""
    if not isinstance(value, str):
        return ""
    name = value.strip()
    return name if name.isprintable() and len(name) <= LONGEST and name[:1] not in "=+-@" else ""


def place_save(save: dict[str, Any], evaluator: str, file: str, placed: Placed) -> None:
    """Place all that one evaluator's save holds."""
    where = plain(file)
    for key, value in save.items():
        if key in {"feedback", "evaluations"}:
            if value:
                placed.lose(f"{key} (no place in a study)", where)
        elif key not in FILE_KEYS:
            placed.lose(f"unknown key {show(key)}", where)
    results = save.get("evaluation_results", {})
    if not isinstance(results, dict):
        placed.lose("evaluation_results is no object", where)
    elif not results:
        placed.miss("nothing rated yet", where)
    else:
        cases: set[str] = set()
        for key, value in results.items():
            match = re.fullmatch(r"case0*([0-9]{1,9})", key)
            if match is None or not isinstance(value, dict) or match[1] in cases:
                placed.lose("no case (expected caseN: {…}, once)", f"{where} {plain(key)}")
                continue
            cases.add(match[1])
            _place_case(value, evaluator, match[1], f"{where} {key}", placed)


def _place_case(
    case: dict[str, Any], evaluator: str, number: str, where: str, placed: Placed
) -> None:
    ranking = _ranking(case.get("ranking", []), where, placed)
    tiers = _tiers(case.get("tiers", {}), where, placed)
    scores = _scores(case, where, placed)
    saved = case.get("saved_at", "")
    if saved != "" and not _is_time(saved):
        placed.lose("saved_at is no time", where)
        saved = ""
    ranks = {analyst: str(place) for place, analyst in enumerate(ranking, start=1)}
    for analyst in dict.fromkeys([*ranking, *tiers, *scores]):
        rank = ranks.get(analyst, "")
        rated = {code: score for code, score in scores.get(analyst, {}).items() if score}
        if rank and not rated:
            placed.miss("ranked, not scored", f"{where} {plain(analyst)}")
        elif rated and not rank:
            placed.miss("scored, not ranked", f"{where} {plain(analyst)}")
        elif not rank:
            placed.miss("neither scored nor ranked", f"{where} {plain(analyst)}")
        placed.rows.append(
            {"evaluator": evaluator, "case": number, "analyst": analyst, **rated}
            | {"rank": rank, "tier": tiers.get(analyst, ""), "timestamp": saved}
        )


def _ranking(value: object, where: str, placed: Placed) -> list[str]:
    """Read the ranking, or nothing where one of its names is unusable: the ranks would shift."""
    names = [identifier(item) for item in value] if isinstance(value, list) else [""]
    if all(names) and len(set(names)) == len(names):
        return names
    placed.lose("ranking is no list of different names", where)
    return []


def _tiers(value: object, where: str, placed: Placed) -> dict[str, str]:
    if not isinstance(value, dict):
        placed.lose("tiers is no object", where)
        return {}
    tiers: dict[str, str] = {}
    for tier, names in value.items():
        if tier not in TIERS or not isinstance(names, list):
            placed.lose(f"tier {show(tier)}", where)
            continue
        for item in names:
            name = identifier(item)
            if not name or name in tiers:
                placed.lose("a name in no tier or in two", f"{where} {plain(item)}")
            else:
                tiers[name] = tier
    return tiers


def _scores(case: dict[str, Any], where: str, placed: Placed) -> dict[str, dict[str, str]]:
    scores: dict[str, dict[str, str]] = {}
    for key, value in case.items():
        if key in CASE_KEYS:
            continue
        name = identifier(key)
        if not name or name in scores or not isinstance(value, dict) or "dimensions" not in value:
            placed.lose(
                "no analyst (expected a name: {dimensions: {…}}, once)", f"{where} {plain(key)}"
            )
            continue
        for other in value.keys() - {"dimensions"}:
            placed.lose(f"unknown key {show(other)}", f"{where} {plain(key)}")
        if isinstance(value["dimensions"], dict):
            scores[name] = _analyst_scores(value["dimensions"], f"{where} {plain(key)}", placed)
        else:
            placed.lose("dimensions is no object", f"{where} {plain(key)}")
    return scores


def _analyst_scores(values: dict[str, Any], where: str, placed: Placed) -> dict[str, str]:
    scores: dict[str, str] = {}
    for key, value in values.items():
        code = _code(key, placed)
        if not code:
            placed.lose(f"more than {MOST} dimensions", where)
        elif value is None or (value == 0 and not isinstance(value, bool)):
            placed.miss("not rated", f"{where} {code}")
        elif (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or value not in range(LOWEST, HIGHEST + 1)
        ):
            expected = f"expected a whole number from {LOWEST} to {HIGHEST}"
            placed.lose(f"score {show(value)} ({expected})", f"{where} {code}")
        elif code in scores:
            placed.lose("the same dimension twice", f"{where} {plain(key)}")
        else:
            scores[code] = str(int(value))
    return scores


def _code(key: str, placed: Placed) -> str:
    """Find the column of a key `Category-Question`; known categories are one in any language."""
    if key in placed.keys:
        return placed.keys[key]
    if len(placed.keys) == MOST:
        return ""
    category = key.partition("-")[0].strip()
    code = KNOWN.get(category.casefold())
    label = DIMENSIONS[code][0] if code else plain(category or key.strip() or "no name", limit=150)
    if code is None:
        slug = re.sub(r"[^a-z0-9]+", "_", category.casefold()).strip("_")[:40]
        slug = slug if re.match(r"[a-z]", slug) else f"dimension_{slug}".strip("_")
        taken = {*placed.codes, *DIMENSIONS, *RESERVED}
        number = next(n for n in range(1, len(taken) + 2) if _numbered(slug, n) not in taken)
        code = _numbered(slug, number)
        label = label if label not in placed.codes.values() else _numbered(label, number)
    placed.keys[key] = code
    placed.codes.setdefault(code, label)
    return code


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def _is_time(value: object) -> bool:
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return isinstance(value, str) and value.isascii() and value.isprintable()
