"""What long simulations count, a reduced run of them, and what is committed."""

import math
import warnings
from dataclasses import replace

import polars as pl
import pytest

from helpers.errors import HelpersError
from helpers.recovery import evidence, multistart, scenarios, tables
from helpers.recovery.summary import summary
from rankings_known import Known

KNOWN = Known("simulation.csv")
VALUES = (0.1, 0.4, 0.35, -0.2, 0.05, 0.3)


def study(estimate, low, high, truth=0.25):
    return {
        "found": [
            {
                "model": "m",
                "kind": "slope",
                "parameter": "a",
                "truth": truth,
                "estimate": estimate,
                "low": low,
                "high": high,
                "state": "found",
            }
        ]
    }


def test_bias_and_its_interval_are_those_of_a_mean():
    (row,) = summary([study(value, None, None) for value in VALUES]).to_dicts()
    assert row["bias"] == pytest.approx(sum(VALUES) / 6 - 0.25)
    known = KNOWN("mean", "interval")
    assert row["bias_low"] == pytest.approx(known["low"] - 0.25, abs=1e-6)
    assert row["bias_high"] == pytest.approx(known["high"] - 0.25, abs=1e-6)
    assert row["first"] == 0.1
    assert row["coverage"] is None


def test_coverage_has_the_exact_interval_of_a_share():
    found = [study(0.2, 0.1, 0.3)] * 9 + [study(0.2, 0.26, 0.3)]
    (row,) = summary(found).to_dicts()
    known = KNOWN("share", "interval")
    assert row["coverage"] == 0.9
    assert row["coverage_low"] == pytest.approx(known["low"], abs=1e-6)
    assert row["coverage_high"] == pytest.approx(known["high"], abs=1e-6)


def test_an_open_end_is_no_limit_and_a_missing_estimate_is_counted():
    found = [study(0.2, 0.1, None), study(0.2, None, 0.1), study(None, None, None)]
    (row,) = summary(found).to_dicts()
    assert (row["studies"], row["estimates"], row["intervals"]) == (3, 2, 2)
    assert row["coverage"] == 0.5


def test_ends_that_were_not_found_are_no_open_ends():
    assert scenarios._ends(math.nan, 1.0) == (None, None)
    assert scenarios._ends(0.0, math.inf) == (0.0, None)


def test_a_fit_that_does_not_converge_gives_no_estimates(monkeypatch):
    def refuse(*_):
        raise HelpersError("did not converge")

    monkeypatch.setattr(scenarios, "clmm", refuse)
    (first, *_) = scenarios.mixed_under_utility(1)
    assert (first.estimate, first.state) == (None, "did not converge")
    assert len(list(scenarios.mixed_under_own(1))) == 21


@pytest.fixture(scope="module")
def reduced(tmp_path_factory):
    """The evidence of two studies of each kind, and one from several starts."""
    folder = tmp_path_factory.mktemp("evidence")
    evidence.write_evidence(folder, folder / "kept", studies=2, started=1, workers=1)
    return tables.load(folder)


def test_a_reduced_run_has_all_models_and_parameters(reduced):
    rows = reduced.recovery.group_by("scenario").len().sort("scenario")
    assert dict(rows.iter_rows()) == {"clmm": 21, "liking": 7, "misspecified": 14, "utility": 14}
    assert (reduced.recovery["studies"] == 2).all()
    assert reduced.current
    z = reduced.recovery.filter(pl.col("scenario") != "misspecified").select(
        (pl.col("bias") / pl.col("truth").abs().clip(0.3)).alias("off")
    )
    assert z["off"].abs().max() < 1.5


def test_a_fit_from_elsewhere_ends_at_the_same_maximum(reduced):
    (row,) = reduced.multistart.to_dicts()
    assert row["converged"]
    assert row["reached"] == row["starts"] == 8
    assert abs(row["gap"]) < 1e-6


def test_the_gap_is_what_another_start_gains():
    assert multistart.gap({"best": -10.0, "loglik": -10.5}) == 0.5
    assert multistart.gap({"best": None, "loglik": -10.5}) == -math.inf


# --- what is committed ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def committed():
    return tables.load()


def test_committed_results_are_still_what_comes_out(reduced, committed):
    keys = ["scenario", "model", "kind", "parameter"]
    both = committed.recovery.join(reduced.recovery, on=keys, how="full", suffix="_now")
    assert both.height == committed.recovery.height == reduced.recovery.height
    for row in both.iter_rows(named=True):
        assert row["first_now"] == pytest.approx(row["first"], abs=1e-3), row["parameter"]
    first = committed.multistart["loglik"][0]
    assert reduced.multistart["loglik"][0] == pytest.approx(first, abs=1e-4)


def test_committed_results_are_of_as_many_studies_as_promised(committed):
    assert (committed.recovery["studies"] == evidence.STUDIES).all()
    assert committed.multistart.height == evidence.STARTED
    assert evidence.STUDIES >= 200
    assert evidence.STARTED >= 60


def test_intervals_of_sound_models_cover_within_monte_carlo_error(committed):
    """Of 35 parameters, more than four below by chance alone have a chance under one in 500."""
    own = committed.recovery.filter(pl.col("scenario").is_in(["clmm", "utility"]))
    assert own.height == 35
    assert (own["estimates"] == own["studies"]).all()
    below = own.filter(pl.col("coverage_high") < tables.NOMINAL)
    assert below.height <= 4
    assert own["coverage"].min() > 0.88


def test_the_mixed_model_is_biased_in_whole_rankings_but_not_in_shares(committed):
    wrong = committed.recovery.filter(pl.col("scenario") == "misspecified")
    weights = wrong.filter(pl.col("kind") == "weight")
    shares = wrong.filter(pl.col("kind") == "share")
    assert (weights["bias_low"] > 0).all()
    assert (weights["coverage_high"] < tables.NOMINAL).all()
    assert shares["bias"].abs().max() < 0.005
    assert (shares["coverage_high"] > tables.NOMINAL).all()


def test_no_maximum_was_missed(committed):
    assert committed.multistart["gap"].max() <= multistart.MISSED
    assert committed.multistart["converged"].all()


def test_committed_results_of_other_code_are_told_not_failed(committed):
    if not committed.current:
        warnings.warn("data/evidence is of other code: make evidence", stacklevel=1)
    stale = tables.source(replace(committed, current=False))
    assert "make evidence` brings them up to date" in stale
    assert "up to date" not in tables.source(replace(committed, current=True))


def test_tables_show_every_parameter_without_gaps(committed):
    assert tables.parameters(committed).height == committed.recovery.height
    assert tables.summary(committed).height == 8
    assert tables.starts(committed)["Studies"].sum() == committed.multistart.height
    assert tables.sentence(committed).count(" parameters") == 4


def test_evidence_that_is_not_there_is_named(tmp_path):
    with pytest.raises(HelpersError, match=r"recovery\.csv is not there; restore it"):
        tables.load(tmp_path)
