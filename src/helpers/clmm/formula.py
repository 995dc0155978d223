"""R's formula language: `rating ~ temp * contact + (1 | judge) + (1 | judge:bottle)`.

The fixed part is formulaic's. The bars are read here: `(1 | g)` is a random intercept for each
level of g, `a:b` are the combinations that occur, `(1 | a/b)` is `(1 | a) + (1 | a:b)`, and
`(0 + x | g)` is a random slope of the numeric column x, independent of all else.
"""

import re
from dataclasses import dataclass

from helpers.errors import HelpersError

_NAME = r"`[^`]+`|(?<![\w.])[A-Za-z_.][\w.]*"
_NO_NAME = re.compile(r"'[^']*'|\"[^\"]*\"|\b\w+\s*=|\b(?:True|False|None)\b")
_CODE = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\bI\(.*\)")  # where a bar is no random term's
_GROUPING = rf"(?:{_NAME})(?:\s*[:/]\s*(?:{_NAME}))*"
_FACTOR_OF = re.compile(r"^(?:as\.)?(?:factor|ordered)\((.+)\)$")


@dataclass(frozen=True)
class Term:
    """A random term.

    Attributes
    ----------
    factors : tuple of str
        Columns whose combinations are its levels.
    slope : str or None
        Column whose slope varies, or None for an intercept.
    """

    factors: tuple[str, ...]
    slope: str | None = None

    @property
    def name(self) -> str:
        """Its name in results, "judge:bottle" or "score | judge"."""
        grouping = ":".join(self.factors)
        return grouping if self.slope is None else f"{self.slope} | {grouping}"

    @property
    def columns(self) -> set[str]:
        """All columns it needs."""
        return {*self.factors, *([] if self.slope is None else [self.slope])}


@dataclass(frozen=True)
class Formula:
    """A formula taken apart.

    Attributes
    ----------
    text : str
        As it was given.
    response : str
        Column of the ratings.
    fixed : str
        The fixed part in formulaic's words, without an intercept.
    terms : tuple of Term
        The random terms in order.
    """

    text: str
    response: str
    fixed: str
    terms: tuple[Term, ...]

    @property
    def names(self) -> set[str]:
        """Every name of a column that the fixed part mentions."""
        plain = _NO_NAME.sub("", self.fixed)
        return {name.strip("`") for name in re.findall(rf"(?:{_NAME})(?![\w.]*\s*\()", plain)}


def parse(text: str) -> Formula:
    """Take a formula apart.

    Raises
    ------
    HelpersError
        If it is not `response ~ predictors + (1 | grouping) + …`, or asks for what the model
        does not have: an intercept of its own, an offset, correlated random effects.
    """
    left, tilde, right = text.partition("~")
    response = _FACTOR_OF.sub(r"\1", left.strip()).strip().strip("`")
    if not tilde or not response or not right.strip():
        raise HelpersError(
            f"formula '{text}': expected 'rating ~ predictors + (1 | grouping)', "
            "the column of ratings left of a ~"
        )
    fixed, terms = [], []
    for sign, part in _summands(right):
        if part.startswith("(") and "|" in part:
            if sign == "-":
                raise HelpersError(f"formula '{text}': leave {part} out instead of taking it away")
            terms += _terms(part, text)
        elif part in {"0", "1"}:
            if (sign == "-") == (part == "1"):
                raise HelpersError(
                    f"formula '{text}': leave out '{sign} {part}'; the thresholds stand where "
                    "other models have an intercept, and there is always one set of them"
                )
        else:
            fixed.append((sign, part))
    for _, part in fixed:
        stray = re.search(r"[|~]", _CODE.sub("", part))
        if stray:
            raise HelpersError(
                f"formula '{text}': cannot read '{part}'; expected one ~, and bars only in "
                "random terms, in parentheses of their own and joined by +, such as + (1 | judge)"
            )
    if any(re.search(r"\boffset\(", part) for _, part in fixed):
        raise HelpersError(f"formula '{text}': offsets are not supported")
    names = [term.name for term in terms]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise HelpersError(f"formula '{text}': the random term '{twice}' stands there twice")
    plain = " ".join(f"{sign} {part}" for sign, part in fixed).removeprefix("+ ") or "1"
    # In formulaic factor() is C(), and ^ inside I() would be Python's exclusive or.
    dialect = re.sub(r"\b(?:as\.)?factor\(", "C(", plain).replace("^", "**")
    return Formula(text, response, dialect, tuple(terms))


def _summands(text: str) -> list[tuple[str, str]]:
    """Parts of a sum with their signs, split outside parentheses and backticks only."""
    parts: list[tuple[str, str]] = []
    depth, quoted, sign, current = 0, False, "+", ""
    for character in text:
        quoted ^= character == "`"
        depth += 0 if quoted else (character in "([") - (character in ")]")
        if character in "+-" and depth == 0 and not quoted:
            parts.append((sign, current.strip()))
            sign, current = character, ""
        else:
            current += character
    parts.append((sign, current.strip()))
    if depth or quoted:
        raise HelpersError(
            f"formula '… ~ {text.strip()}': a parenthesis or a backtick is not closed"
        )
    return [(sign, part) for sign, part in parts if part]


def _terms(part: str, text: str) -> list[Term]:
    """Random terms of one pair of parentheses."""
    inside = part[1:-1] if part.endswith(")") else ""
    effect, bar, grouping = (piece.strip() for piece in inside.partition("|"))
    if not bar or not effect or not re.fullmatch(_GROUPING, grouping):
        raise HelpersError(
            f"formula '{text}': cannot read {part}; expected (1 | grouping), where the grouping is "
            "a column, several joined by ':', or nested ones joined by '/'"
        )
    slope = None
    if effect != "1":
        column = re.sub(r"^0\s*\+\s*", "", effect)
        slope = column.strip("`")
        if column == effect or not re.fullmatch(_NAME, column):
            raise HelpersError(
                f"formula '{text}': {part} has correlated random effects, which are not supported; "
                f"write (1 | {grouping}) + (0 + x | {grouping}) for independent ones, "
                "one column x at a time"
            )
    nested: list[tuple[str, ...]] = [()]
    for level in grouping.split("/"):
        columns = tuple(column.strip().strip("`") for column in level.split(":"))
        nested.append(nested[-1] + columns)
    return [Term(factors, slope) for factors in nested[1:]]
