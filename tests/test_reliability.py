import numpy as np
import pandas as pd
import pytest

from agreement_data import ATTITUDE, THURSTONE, R
from helpers.agreement import alpha_of, cronbach_alpha, mcdonald_omega, omega_of
from helpers.errors import HelpersError

GAP = float("nan")
SIX = np.repeat(np.arange(6), 5)
BOTH = pytest.mark.parametrize("coefficient", [cronbach_alpha, mcdonald_omega])


def scores_with(correlations):
    """Rows whose sample correlations are exactly these."""
    noise = np.random.default_rng(1).standard_normal((213, len(correlations)))
    white = np.linalg.qr(noise - noise.mean(axis=0))[0]
    return white @ np.linalg.cholesky(correlations).T


def known(data, statistic):
    return pytest.approx(R[data, statistic][0], abs=1e-5)


@pytest.mark.parametrize("factors", [1, 2, 3])
def test_agrees_with_psych_in_r(factors):
    assert omega_of(THURSTONE, factors) == known("thurstone", f"omega total {factors}")
    assert mcdonald_omega(ATTITUDE, factors).value == known("attitude", f"omega total {factors}")


@pytest.mark.parametrize("factors", [2, 3])
def test_general_factor_agrees_with_psych_in_r(factors):
    statistic = f"omega hierarchical {factors}"
    assert omega_of(THURSTONE, factors, "hierarchical") == known("thurstone", statistic)
    result = mcdonald_omega(ATTITUDE, factors, "hierarchical")
    assert result.value == pytest.approx(R["attitude", statistic][0], abs=2e-4)  # a Heywood case


def test_alpha_agrees_with_psych_in_r():
    assert alpha_of(THURSTONE) == pytest.approx(R["thurstone", "alpha"][0], abs=1e-10)
    assert cronbach_alpha(ATTITUDE).value == pytest.approx(R["attitude", "alpha"][0], abs=1e-10)


def test_parts_agree_with_psych_in_r():
    within = cronbach_alpha(ATTITUDE, part="within", groups=SIX)
    assert within.value == pytest.approx(R["attitude", "alpha within"][0], abs=1e-10)
    between = cronbach_alpha(ATTITUDE, part="between", groups=SIX)
    assert between.value == pytest.approx(R["attitude", "alpha between"][0], abs=1e-10)
    omega = mcdonald_omega(ATTITUDE, part="within", groups=SIX)
    assert omega.value == known("attitude", "omega within")


def test_published_values():
    assert round(float(cronbach_alpha(ATTITUDE)), 4) == 0.8431
    assert round(alpha_of(THURSTONE), 3) == 0.891
    assert round(omega_of(THURSTONE, factors=3), 3) == 0.931
    assert round(omega_of(THURSTONE, 3, "hierarchical"), 3) == 0.736


def test_equal_loadings_make_alpha_and_omega_one_number():
    items = scores_with(np.full((5, 5), 0.4) + 0.6 * np.eye(5))
    expected = 5 * 0.4 / (1 + 4 * 0.4)
    assert cronbach_alpha(items).value == pytest.approx(expected)
    assert mcdonald_omega(items).value == pytest.approx(expected, abs=1e-6)


def test_general_factor_of_a_known_structure_is_found():
    general = np.repeat([0.6, 0.5, 0.7], 4)  # Schmid-Leiman: g and group loadings in proportion
    special = np.repeat([0.4, 0.6, 0.3], 4) * np.kron(np.eye(3), np.ones((4, 1))).T
    correlations = np.outer(general, general) + special.T @ special
    np.fill_diagonal(correlations, 1)
    assert omega_of(correlations, 3, "hierarchical") == pytest.approx(
        general.sum() ** 2 / correlations.sum(), abs=1e-4
    )


def test_omega_ignores_the_scale_of_an_item_and_alpha_does_not():
    stretched = ATTITUDE * np.array([10, 1, 1, 1, 1, 1, 1])
    assert mcdonald_omega(stretched).value == pytest.approx(mcdonald_omega(ATTITUDE).value)
    assert cronbach_alpha(stretched).value < cronbach_alpha(ATTITUDE).value


def test_interval_leaves_out_whole_clusters():
    result = cronbach_alpha(ATTITUDE, clusters=list("abcdef") * 5)
    own = np.resize(np.arange(6), 30)
    without = [cronbach_alpha(ATTITUDE[own != one]).value for one in range(6)]
    error = np.sqrt(5 / 6 * ((without - np.mean(without)) ** 2).sum())
    margin = 2.5705818 * error / (1 - result.value)
    assert result.low == pytest.approx(1 - (1 - result.value) * np.exp(margin))
    assert result.high == pytest.approx(1 - (1 - result.value) * np.exp(-margin))


def test_interval_of_group_means_leaves_out_whole_clusters_of_rows():
    clusters = np.tile(np.arange(5), 6)
    result = cronbach_alpha(ATTITUDE, clusters, "between", SIX)
    assert result.low < result.value < result.high
    assert cronbach_alpha(ATTITUDE, SIX, "within", SIX).has_interval


def test_rows_with_a_gap_are_dropped_and_counted():
    table = ATTITUDE.copy()
    table[3, 2] = table[7, 0] = GAP
    result = cronbach_alpha(table)
    assert (result.used, result.dropped, result.unit) == (28, 2, "rows")
    assert result.value == cronbach_alpha(np.delete(ATTITUDE, [3, 7], axis=0)).value


@BOTH
@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([[1, 2, 3]], "1 row or group; at least 2 are needed"),
        ([[1], [2]], "1 item; at least 2 are needed"),
        (np.empty((0, 3)), "0 rows or groups; at least 2 are needed"),
        ([[1, 2, 3], [GAP, 2, 1]], "1 row or group; at least 2 are needed"),
        ([[1, 2, 3], [2, 2, 1], [3, 2, 1]], "item 2 does not vary"),
        ([[1, 2, 3, 0], [2, 1, 4, -1], [3, 0, 1, 2]], "the sum of the items does not vary"),
    ],
)
def test_what_cannot_be_estimated_has_a_reason(coefficient, items, reason):
    result = coefficient(items)
    assert (result.value, result.reason) == (None, reason)


def test_a_data_frame_names_the_item():
    frame = pd.DataFrame({"accuracy": [1, 2, 3], "coverage": [2, 2, 2]})
    assert cronbach_alpha(frame).reason == "item coverage does not vary"


def test_groups_of_one_row_leave_no_deviations():
    result = cronbach_alpha(ATTITUDE, part="within", groups=np.arange(30))
    assert result.reason == "item 1 does not vary"


def test_two_items_determine_no_omega():
    reason = "ω with 1 factor needs more than 2 items"
    assert mcdonald_omega(ATTITUDE[:, :2]).reason == reason
    with pytest.raises(HelpersError, match=reason):
        omega_of(THURSTONE[:2, :2])
    assert mcdonald_omega(ATTITUDE, factors=4).reason == "ω with 4 factors needs more than 7 items"
    one = mcdonald_omega(ATTITUDE, 1, "hierarchical")
    assert one.reason == "ω hierarchical needs at least 2 factors"


def test_a_heywood_case_has_no_interval():
    result = mcdonald_omega(ATTITUDE[:, :3])
    assert result.reason == "an item has no variance of its own left"
    assert result.low is None


def test_two_clusters_give_no_interval():
    result = cronbach_alpha(ATTITUDE, clusters=np.arange(30) % 2)
    assert result.reason == "an interval needs at least 3 clusters"


@BOTH
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clusters": [1, 2]}, "clusters: expected a label for each of 30 rows"),
        ({"clusters": [None, *range(29)]}, "clusters: expected a label for each of 30 rows"),
        ({"part": "within"}, "part 'within' without groups"),
        ({"groups": SIX}, "part 'all' with groups"),
        ({"part": "inside", "groups": SIX}, "part 'inside' with groups"),
    ],
)
def test_what_does_not_fit_is_refused(coefficient, arguments, message):
    with pytest.raises(HelpersError, match=message):
        coefficient(ATTITUDE, **arguments)


def test_impossible_factors_are_refused():
    with pytest.raises(HelpersError, match="no ω total with 0 factors"):
        mcdonald_omega(ATTITUDE, factors=0)
    with pytest.raises(HelpersError, match="no ω general with 3 factors"):
        mcdonald_omega(ATTITUDE, 3, "general")


def test_cluster_interval_covers_where_rows_of_a_cluster_go_together():
    random = np.random.default_rng(13)
    covered = []
    for _ in range(200):
        person = np.repeat(random.standard_normal((20, 1)), 6, axis=0)
        scores = person + random.standard_normal((120, 1)) + 1.5 * random.standard_normal((120, 4))
        result = cronbach_alpha(scores, clusters=np.repeat(np.arange(20), 6))
        covered.append(result.low <= 4 * 2 / (4 * 2 + 1.5**2) <= result.high)
    assert 0.9 <= np.mean(covered) <= 0.995
