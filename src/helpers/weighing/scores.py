"""Tables of the Perceived Capability Score: by analyst, in order, by case, by other weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from scipy import stats

from helpers import resample, say, show
from helpers.capability import Capability, perceived_capability, scores_by
from helpers.choice.logit import Floats
from helpers.choice.rankings import Rankings
from helpers.choice.validation import split
from helpers.not_estimable import NotEstimableError
from helpers.ranking.decisions import ABSENT, NO, PARTLY, YES
from helpers.ranking_weights import METHODS, normalised, regression, shares
from helpers.refusal import ended, in_prose, in_table
from helpers.results import Entry
from helpers.weighing.abilities import mean_ranks
from helpers.weighing.claims import Claim, decide
from helpers.weighing.prediction import EQUAL
from helpers.weighing.weighed import Weighed

KINDS = {"llm": "LLM", "physician": "physician"}
LEADS = "One analyst scores higher than every other"


@dataclass(frozen=True)
class Perceived:
    """Perceived Capability Scores of a study's analysts.

    Attributes
    ----------
    weighed : Weighed
        The study and the method of weighing.
    """

    weighed: Weighed

    @cached_property
    def capability(self) -> Capability:
        """Scores with intervals; refused where weights have different signs."""
        weighed = self.weighed
        return perceived_capability(
            weighed.fit, weighed.rankings, weighed.resamples, weighed.seed, weighed.confidence
        )

    @cached_property
    def order(self) -> list[int]:
        """Places of the analysts in `capability.scores`, highest score first."""
        scores = self.capability.scores["score"].to_numpy()
        return [int(place) for place in np.argsort(-scores, kind="stable")]

    @cached_property
    def behind(self) -> pl.DataFrame:
        """How far each analyst but the first is behind it, in order, with both intervals."""
        found, level = self.capability, self.weighed.confidence
        first, *others = self.order
        scores = found.scores["score"].to_numpy()

        def less(rows: Floats) -> Floats:
            return np.asarray(rows[..., [first]] - rows[..., others])

        nothing = np.full(len(others), np.nan)
        boot = resample.percentile(less(found.draws), level) if len(found.draws) else None
        jack = (
            resample.jackknife(less(scores), less(found.without), level)
            if len(found.without)
            else None
        )
        return pl.DataFrame(
            {
                "analyst": [found.scores["analyst"][other] for other in others],
                "behind": less(scores),
                "low": boot.low if boot else nothing,
                "high": boot.high if boot else nothing,
                "case_low": jack.low if jack else nothing,
                "case_high": jack.high if jack else nothing,
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))


@in_table
def table(perceived: Perceived) -> pl.DataFrame:
    """Score of each analyst with both intervals, highest first."""
    study, scores = perceived.weighed.study, perceived.capability.scores[perceived.order]
    kinds = dict(study["analysts"].select("analyst", "kind").iter_rows())
    ranks = mean_ranks(study)
    return scores.select(
        pl.col("analyst").alias("Analyst"),
        pl.Series("Kind", [KINDS.get(kinds[name], "") for name in scores["analyst"]]),
        pl.col("score").alias("Score"),
        "low",
        "high",
        "case_low",
        "case_high",
        pl.Series("Mean rank", [ranks.get(name) for name in scores["analyst"]], pl.Float64),
        pl.col("ratings").alias("Ratings"),
    )


@in_prose
def sentence(perceived: Perceived) -> str:
    """How stable signs are, and how the order compares with that of mean ranks."""
    found, weighed = perceived.capability, perceived.weighed
    told = [f"Scores are in {weighed.unit}."]
    if found.changed_sign is not None:
        told.append(
            f"In {say.percent(found.changed_sign, 1)} of the resamples of evaluators some weight "
            "has another sign than the others; they are kept."
        )
    ranks = mean_ranks(weighed.study)
    given = [ranks[name] for name in found.scores["analyst"]]
    tau = stats.kendalltau(found.scores["score"].to_numpy(), [-rank for rank in given]).statistic
    if np.isfinite(tau):
        told.append(
            f"The orders of scores and of mean ranks agree with τ-b {say.number(float(tau))}."
        )
    notes = [ended(show.escape(note)) for note in found.notes]
    return " ".join([*told, *_missing(found), *notes])


def _missing(found: Capability) -> list[str]:
    """Say so if analysts were not scored in the same cases."""
    cases = found.by_case["case"].n_unique()
    own = found.by_case.group_by("analyst", maintain_order=True).len("cases").sort("cases")
    partial = own.filter(pl.col("cases") < cases).height
    if not partial:
        return []
    least = own.row(0, named=True)
    return [
        f"Of {say.count(own.height, 'analyst')} {partial} lack{'s' * (partial == 1)} some case "
        f"({show.escape(least['analyst'])} has {least['cases']} of {cases}), so that part "
        "of their distance from others may be that of the cases."
    ]


@in_table
def order(perceived: Perceived) -> pl.DataFrame:
    """Place of each analyst, how far it moves in resamples, and how far it is behind the first."""
    found = perceived.capability
    names = found.scores["analyst"]
    tail = (1 - perceived.weighed.confidence) / 2
    drawn, without = _places(found.draws), _places(found.without)
    behind = {row["analyst"]: row for row in perceived.behind.to_dicts()}
    rows = []
    for place, own in enumerate(perceived.order, 1):
        row: dict[str, object] = {"Place": place, "Analyst": names[own]}
        if len(drawn):
            ends = np.quantile(drawn[:, own], [tail, 1 - tail], method="nearest").astype(int)
            row["Places, evaluators resampled"] = _span(ends)
            row["First (%)"] = float(100 * (drawn[:, own] == 1).mean())
        if len(without):
            ends = np.array([without[:, own].min(), without[:, own].max()]).astype(int)
            row["Places, one case left out"] = _span(ends)
        gap = behind.get(names[own], {})
        row |= {"Behind the first": gap.get("behind")}
        row |= {end: gap.get(end) for end in ("low", "high", "case_low", "case_high")}
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def _places(scores: Floats) -> Floats:
    """Places by score, 1 the highest; only of rows with all scores."""
    rows = scores[np.isfinite(scores).all(axis=1)]
    return np.asarray(stats.rankdata(-rows, method="min", axis=1)) if len(rows) else rows


def _span(ends: Floats) -> str:
    low, high = int(ends[0]), int(ends[1])
    return str(low) if low == high else f"{low} to {high}"


@in_table
def by_case(perceived: Perceived) -> pl.DataFrame:
    """Give `wide`, or why there is none."""
    return wide(perceived)


def wide(perceived: Perceived) -> pl.DataFrame:
    """Score of each analyst in each case, a column for each analyst, highest score first."""
    names = [perceived.capability.scores["analyst"][own] for own in perceived.order]
    return pl.DataFrame(
        {"Case": case} | {name: own.get(name) for name in names}
        for case, own in _by_case(perceived).items()
    )


def _by_case(perceived: Perceived) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    known = perceived.capability.by_case
    for case in perceived.weighed.study["cases"]["case"]:
        own = known.filter(pl.col("case") == case)
        if own.height:
            found[case] = dict(own.select("analyst", "score").iter_rows())
    return found


@in_table
def case_by_case(perceived: Perceived) -> pl.DataFrame:
    """The same with intervals, a row for each case and analyst."""
    return perceived.capability.by_case.select(
        pl.col("case").alias("Case"),
        pl.col("analyst").alias("Analyst"),
        pl.col("score").alias("Score"),
        "low",
        "high",
        pl.col("ratings").alias("Ratings"),
    )


@in_table
def methods(perceived: Perceived, share: float, times: int) -> pl.DataFrame:
    """Scores by other weights: of each method, equal ones, and of random training splits.

    Parameters
    ----------
    perceived : Perceived
        The study and the method.
    share, times
        Of the rankings to train on, and number of splits.

    Returns
    -------
    DataFrame
        By "Analyst": a column for each weighting that there is; "low" and "high" hold the middle
        95 % of scores by weights of splits.
    """
    rankings = perceived.weighed.rankings
    by_method, _ = _shares(rankings)
    scores = scores_by(rankings, np.array(list(by_method.values())))
    low, high = _over_splits(perceived, share, times)
    return (
        pl.DataFrame(
            {"Analyst": rankings.items}
            | dict(zip(by_method, scores, strict=True))
            | {"low": low, "high": high}
        )
        .with_columns(pl.col(pl.Float64).fill_nan(None))
        .sort(next(iter(by_method)), descending=True, maintain_order=True)
    )


def _over_splits(perceived: Perceived, share: float, times: int) -> tuple[Floats, Floats]:
    """Ends of the middle 95 % of scores by weights of random training splits; nan without."""
    rankings = perceived.weighed.rankings
    nothing = np.full(len(rankings.items), np.nan)
    try:
        masks = split(rankings, share, times, perceived.weighed.seed)
        weights = perceived.weighed.fit.refit(masks.astype(float))[:, : len(rankings.dimensions)]
        normalised(perceived.weighed.fit.estimate[: len(rankings.dimensions)])
    except NotEstimableError:
        return nothing, nothing
    drawn = shares(weights)
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    if len(drawn) < max(2, resample.FEWEST * times):
        return nothing, nothing
    scores = scores_by(rankings, drawn)
    low, high = np.quantile(scores, [0.025, 0.975], axis=0)
    return low, high


@in_prose
def methods_sentence(perceived: Perceived) -> str:
    """How far other weights move a score, and which methods give none."""
    rankings = perceived.weighed.rankings
    by_method, reasons = _shares(rankings)
    scores = scores_by(rankings, np.array(list(by_method.values())))
    told = [
        ended(f"{method}: not estimable: {show.escape(reason)}")
        for method, reason in reasons.items()
    ]
    if len(by_method) > 1:
        apart = say.number(float(np.ptp(scores, axis=0).max()))
        places = stats.rankdata(-scores, method="min", axis=1)
        same = bool((places == places[0]).all())
        order = "all put the analysts in the same order" if same else "orders of analysts differ"
        told.append(
            f"Between {say.listing(list(by_method))}, no score differs by more than {apart} "
            f"({perceived.weighed.unit}); {order}."
        )
    return " ".join(told)


def _shares(rankings: Rankings) -> tuple[dict[str, Floats], dict[str, str]]:
    """Normalised weights by method, and equal ones; and why a method has none."""
    count = len(rankings.dimensions)
    found, reasons = {}, {}
    for method in METHODS:
        try:
            fit = regression(method)(rankings)
            found[method] = normalised(fit.estimate[:count], rankings.dimensions)
        except NotEstimableError as error:
            reasons[method] = error.reason
    return found | {EQUAL: np.full(count, 1 / count)}, reasons


def rules(level: float) -> pl.DataFrame:
    """The claim and the rule by which it is decided."""
    told = (
        "The first analyst by score is ahead of each other one, and the "
        f"{say.percent(level)} interval of each difference lies above zero, over evaluators and "
        "over cases; partly, if those over evaluators do, so that it leads in these cases."
    )
    return pl.DataFrame({"Claim": [LEADS], "Supported if": [told]})


def judge(perceived: Perceived) -> Claim:
    """Decide the claim; "not estimable: …" where it cannot be tested."""
    try:
        return _leads(perceived)
    except NotEstimableError as error:
        return Claim(LEADS, "", f"{ABSENT}: {error.reason}")


def _leads(perceived: Perceived) -> Claim:
    scores, behind = perceived.capability.scores, perceived.behind
    if behind.is_empty():
        raise NotEstimableError("the claim is", "there is one analyst only")
    first = scores.row(perceived.order[0], named=True)
    here = decide(behind["low"].to_list())
    others = behind["case_low"].to_list()
    decision = NO
    if here == YES:
        decision = YES if all(low is not None and low > 0 for low in others) else PARTLY
    ends = "" if first["low"] is None else f" ({say.span(first['low'], first['high'])})"
    near = behind.filter(pl.col("low").fill_null(0) <= 0)["analyst"].to_list()
    told = f"{first['analyst']} {say.number(first['score'])}{ends}"
    if near:
        told += f"; not told from {say.listing(near)} over evaluators"
    return Claim(LEADS, told, decision, first["score"], first["low"], first["high"])


def entry(claim: Claim, perceived: Perceived) -> Entry:
    """The claim as a line of the ledger, without p."""
    return Entry(
        question=claim.claim,
        result=claim.found,
        decision=claim.decision,
        published="",
        explanation="The paper draws its scores and prints none.",
        anchor="tbl-capability-scores",
        topic="ARQ3",
        method=f"Perceived Capability Score, {perceived.weighed.method} weights",
        estimate=claim.estimate,
        low=claim.low,
        high=claim.high,
    )
