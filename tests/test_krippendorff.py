import numpy as np
import pandas as pd
import pytest
from scipy import stats

from agreement_data import KRIPPENDORFF
from helpers.agreement import krippendorff_alpha
from helpers.errors import HelpersError

GAP = float("nan")
LEVELS = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


@pytest.mark.parametrize(("level", "alpha"), LEVELS.items())
def test_published_values(level, alpha):
    result = krippendorff_alpha(KRIPPENDORFF, level)
    assert round(result.value, 3) == alpha
    assert (result.used, result.dropped, result.unit) == (11, 1, "units")
    assert result.low < result.value < result.high


@pytest.mark.parametrize("level", LEVELS)
def test_agrees_with_the_definition_by_pairs_of_ratings(level):
    units = [unit[~np.isnan(unit)] for unit in KRIPPENDORFF.T]
    units = [unit for unit in units if len(unit) > 1]
    everything = np.concatenate(units)
    counts = {value: (everything == value).sum() for value in set(everything)}

    def apart(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "ordinal":
            between = sum(n for value, n in counts.items() if min(a, b) <= value <= max(a, b))
            return (between - (counts[a] + counts[b]) / 2) ** 2
        return (a - b) ** 2 / ((a + b) ** 2 if level == "ratio" else 1)

    def mean_difference(ratings):
        n = len(ratings)
        return sum(apart(a, b) for a in ratings for b in ratings) / (n * (n - 1))

    weights = [len(unit) for unit in units]
    observed = np.average([mean_difference(unit) for unit in units], weights=weights)
    expected = 1 - observed / mean_difference(everything)
    assert krippendorff_alpha(KRIPPENDORFF, level).value == pytest.approx(expected)


def test_order_and_unused_values_do_not_matter_to_ordinal_alpha():
    stretched = KRIPPENDORFF**3
    assert krippendorff_alpha(stretched, "ordinal").value == pytest.approx(
        krippendorff_alpha(KRIPPENDORFF, "ordinal").value
    )


def test_full_agreement_is_one_and_has_no_interval():
    result = krippendorff_alpha([[1, 2, 3]] * 4)
    assert (result.value, result.low) == (1, None)
    assert result.reason == "an estimate of 1 is at the end of its range"


def test_interval_leaves_out_raters_or_units():
    by_raters = krippendorff_alpha(KRIPPENDORFF, "interval")
    without = [
        krippendorff_alpha(np.delete(KRIPPENDORFF, rater, 0), "interval").value
        for rater in range(4)
    ]
    error = np.sqrt(3 / 4 * ((without - np.mean(without)) ** 2).sum())
    margin = stats.t.ppf(0.975, 3) * error / (1 - by_raters.value**2)
    low = np.tanh(np.arctanh(by_raters.value) - margin)
    assert by_raters.low == pytest.approx(low)
    by_units = krippendorff_alpha(KRIPPENDORFF, "interval", over="units")
    assert by_units.value == by_raters.value
    assert by_units.low != pytest.approx(by_raters.low)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("over", ["raters", "units"])
@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, 2, 3]], "no unit has two ratings"),
        ([[1, GAP], [GAP, 1]], "no unit has two ratings"),
        (np.empty((0, 3)), "no unit has two ratings"),
        ([[3, 3], [3, 3]], "every rating is 3"),
        ([[3, 3, 1], [3, 3, GAP]], "every rating is 3"),  # the 1 is compared with nothing
    ],
)
def test_what_cannot_be_estimated_has_a_reason(table, reason, level, over):
    result = krippendorff_alpha(table, level, over)
    assert (result.value, result.reason) == (None, reason)


def test_two_raters_have_no_interval_over_raters_but_one_over_units():
    table = KRIPPENDORFF[1:3]
    assert krippendorff_alpha(table).reason == "an interval needs at least 3 raters"
    assert krippendorff_alpha(table, over="units").has_interval


def test_nominal_ratings_may_be_words():
    words = [["yes", "no", None], ["yes", "no", "no"], ["no", "no", "yes"]]
    numbers = [[1, 0, GAP], [1, 0, 0], [0, 0, 1]]
    assert krippendorff_alpha(words, "nominal").value == pytest.approx(
        krippendorff_alpha(numbers, "nominal").value
    )


@pytest.mark.parametrize(
    ("table", "level", "message"),
    [
        ([["yes", "no"]] * 2, "ordinal", "ordinal ratings must be numbers"),
        ([[-1, 2], [1, 2]], "ratio", "ratio ratings must be finite, from 0 up"),
        ([[1, 2], [1, 2]], "metric", "no level of measurement 'metric'"),
        ([1, 2], "nominal", r"got shape \(2,\)"),
    ],
)
def test_what_does_not_fit_is_refused(table, level, message):
    with pytest.raises(HelpersError, match=message):
        krippendorff_alpha(table, level)


def test_an_interval_goes_over_raters_or_units():
    with pytest.raises(HelpersError, match="raters or units, not over 'items'"):
        krippendorff_alpha(KRIPPENDORFF, over="items")


@pytest.mark.parametrize("raters", [6, 20])
def test_interval_over_raters_covers(raters):
    random = np.random.default_rng(12)

    def table(raters):
        seen = np.linspace(-1.5, 1.5, 9) + 0.4 * random.standard_normal((raters, 1))
        return np.digitize(seen + random.standard_normal((raters, 9)), [-1.5, -0.5, 0.5, 1.5])

    truth = krippendorff_alpha(table(2000), over="units").value
    results = [krippendorff_alpha(table(raters)) for _ in range(200)]
    assert np.mean([result.value for result in results]) == pytest.approx(truth, abs=0.03)
    covered = np.mean([result.low <= truth <= result.high for result in results])
    assert 0.9 <= covered <= 0.995


def test_recomputed_agreement_on_summaries(shared):
    ratings = pd.read_csv(shared / "summeval/ratings_human.csv")
    dimensions = ["coherence", "consistency", "fluency", "relevance"]

    def alpha(group, columns):
        part = ratings[ratings.rater_group == group]
        long = part.melt(["doc", "system", "rater"], columns)
        table = long.pivot(index="rater", columns=["doc", "system", "variable"], values="value")
        return round(float(krippendorff_alpha(table, "interval")), 3)

    assert (alpha("expert", dimensions), alpha("crowd", dimensions)) == (0.733, 0.446)
    assert [alpha("expert", [d]) for d in dimensions] == [0.576, 0.899, 0.738, 0.493]
