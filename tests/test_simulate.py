import csv
import hashlib
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.miscmodels.ordinal_model import OrderedModel

from helpers import published
from helpers.errors import HelpersError
from helpers.paths import DATA
from helpers.simulate import (
    DIMENSIONS,
    PERCEPTION,
    SEED,
    Design,
    example,
    perception_design,
    published_model,
    simulate,
    simulate_cumulative,
    write_example,
)
from helpers.simulate.effects import effect, stream
from helpers.simulate.targets import Target, read_refit
from helpers.simulate.utility import draw_scores
from helpers.study import load

SHIPPED = DATA / "perception"
PAPER = published.load(DATA / "published" / "perception")
PLAIN = replace(PERCEPTION, halo=0.0, utility={})  # utilities of scores and noise alone


@pytest.fixture(scope="module")
def design():
    return perception_design(SEED)


@pytest.fixture(scope="module")
def sample(design):
    return simulate(design, PERCEPTION, SEED)


# --- the shipped study ---------------------------------------------------------------------------


def test_shipped_study_is_written_anew_byte_for_byte(tmp_path):
    write_example(tmp_path)
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    assert [str(path) for path in written] == [
        "analysts.csv",
        "benchmarks.csv",
        "cases.csv",
        "evaluators.csv",
        "ratings.csv",
        "simulation/targets.csv",
        "study.yml",
    ]
    for path in written:
        assert (tmp_path / path).read_bytes() == (SHIPPED / path).read_bytes(), path


def test_every_target_is_reached():
    rows = pl.read_csv(SHIPPED / "simulation/targets.csv")
    assert rows.filter(pl.col("met") == "no").is_empty()
    aimed = rows.filter(pl.col("met") == "yes").group_by("quantity").len()
    assert dict(aimed.iter_rows()) == {
        "Cronbach's α": 1,
        "distance of ω from α": 1,
        "correlation": 2,
        "largest correlation": 1,
        "mean score": 7,
        "how far below all others": 1,
        "how far above all others": 1,
        "t of specialists": 7,
        "W over dimensions": 9,
        "W of rankings": 9,
        "smallest weight": 1,
        "Kendall's τ": 1,
        "pairwise accuracy": 1,
        "CLMM slope": 7,
    }


def test_a_target_knows_whether_it_is_met():
    assert Target("", "", "", 0.5).met == "no target"
    assert Target("", "", "", 0.5, lowest=0.5, highest=0.6).met == "yes"
    assert Target("", "", "", 0.4999, lowest=0.5).met == "no"
    assert Target("", "", "", 0.7, highest=0.6).met == "no"
    assert Target("", "", "", math.nan, highest=0.6).met == "no"


def test_a_refit_of_other_ratings_is_refused(monkeypatch, tmp_path):
    stale = tmp_path / "clmm.csv"
    stale.write_text("kind,name,estimate,std_error\nslope,inquiry,-0.4,0.1\n")
    monkeypatch.setattr(example, "REFIT", stale)
    with pytest.raises(HelpersError, match=r"not of these ratings; run Rscript .*clmm\.R"):
        write_example(tmp_path)
    assert (tmp_path / "ratings.csv").exists()
    assert not (tmp_path / "simulation").exists()


def test_every_file_says_that_it_is_simulated_where_it_could_mislead():
    assert "simulated: true" in (SHIPPED / "study.yml").read_text()
    assert "SIMULATED" in (SHIPPED / "README.md").read_text().splitlines()[0]
    benchmarks = pl.read_csv(SHIPPED / "benchmarks.csv")
    assert len(benchmarks) == 6
    assert benchmarks["source"].str.contains("simulated").all()
    real = {51.12, 45.82, 31.09, 17.79, 25.69, 4.13}
    assert real.isdisjoint(benchmarks["accuracy"].to_list())


def test_the_loader_takes_the_shipped_study_without_a_word():
    study = load(SHIPPED)
    assert study.config.simulated
    assert not study.notices


# --- the design ----------------------------------------------------------------------------------


def test_design_is_the_papers(design):
    assert design.sizes == {"evaluator": 37, "case": 9, "analyst": 9, "dimension": 7}
    groups = design.rated[:, ::3]
    assert (design.rated == groups.repeat(3, axis=1)).all()
    assert dict(zip(*np.unique(groups.sum(axis=1), return_counts=True), strict=True)) == {
        1: 20,
        2: 11,
        3: 6,
    }
    assert (design.rated.sum(axis=0) == 20).all()
    assert tuple(DIMENSIONS.values()) == PAPER.table("table04").labels


def test_specialties_of_cases_are_those_of_table_11(design):
    table = PAPER.table("table11")
    assert tuple(design.cases["case"]) == table.labels
    assert tuple(design.cases["specialty"]) == table.column("Specialty")


def test_each_case_meets_specialists_and_mostly_others(design):
    specialists = (design.aligned & design.rated).sum(axis=0)
    assert specialists.min() >= 3
    assert specialists.max() < 10


def test_ratings_are_complete_rankings_of_whole_scores(sample):
    ratings = sample.ratings()
    assert ratings.columns == ["evaluator", "case", "analyst", *DIMENSIONS, "rank"]
    assert len(ratings) == 1620
    assert not ratings.select("evaluator", "case", "analyst").is_duplicated().any()
    by_ranking = ratings.group_by("evaluator", "case").agg(pl.col("rank").sort())
    assert by_ranking["rank"].to_list() == [list(range(1, 10))] * 180
    assert np.unique(sample.items).tolist() == [1, 2, 3, 4, 5]


# --- streams -------------------------------------------------------------------------------------


def test_a_stream_depends_on_seed_and_name_alone():
    assert stream(1, "a").random() == stream(1, "a").random()
    assert stream(1, "a").random() != stream(1, "b").random()
    assert stream(1, "a").random() != stream(2, "a").random()


def test_changing_what_ranks_leaves_scores_as_they_were(design, sample):
    other = simulate(design, replace(PERCEPTION, halo=0.0, utility={"analyst": 1.0}), SEED)
    assert (other.scores == sample.scores).all()
    assert (other.rank != sample.rank).any()


def test_effects_are_the_same_in_whatever_order_they_are_named(design):
    terms = dict(PERCEPTION.score)
    backwards = replace(PERCEPTION, score=dict(reversed(terms.items())))
    assert (draw_scores(design, PERCEPTION, SEED) == draw_scores(design, backwards, SEED)).all()


def test_changing_who_rates_what_leaves_other_ratings_as_they_were(design, sample):
    rated = design.rated.copy()
    rated[0] = ~rated[0]
    other = simulate(replace(design, rated=rated), PERCEPTION, SEED)
    kept, still = sample.evaluator != 0, other.evaluator != 0
    assert (other.scores[still] == sample.scores[kept]).all()
    assert (other.rank[still] == sample.rank[kept]).all()


def test_an_exact_effect_has_the_spread_asked_for(design):
    drawn = effect(stream(1, "x"), "case:analyst", design.sizes, exact=True)
    assert drawn.shape == (1, 9, 9, 1)
    assert np.abs(drawn.sum(axis=1)).max() < 1e-12
    assert np.abs(drawn.sum(axis=2)).max() < 1e-12
    assert (drawn**2).mean() == pytest.approx(1)


def test_a_free_effect_is_standard_normal():
    sizes = {"evaluator": 40, "case": 50, "analyst": 10, "dimension": 1}
    drawn = effect(stream(1, "x"), "evaluator:case:analyst", sizes, exact=False)
    assert drawn.shape == (40, 50, 10, 1)
    assert drawn.mean() == pytest.approx(0, abs=4 / math.sqrt(drawn.size))
    assert drawn.var() == pytest.approx(1, abs=4 * math.sqrt(2 / drawn.size))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": (1.0,) * 6}, "weights: 6 numbers, expected 7"),
        ({"spread": (1.0,)}, "spread: 1 numbers, expected 9"),
        ({"score": {"evaluator:analist": 0.1}}, "term “evaluator:analist”"),
        ({"doublets": {("accuracy", "reason"): 0.1}}, "doublets: expected names among inquiry"),
    ],
)
def test_settings_that_do_not_fit_the_design_are_refused(design, change, message):
    with pytest.raises(ValueError, match=message):
        simulate(design, replace(PERCEPTION, **change), SEED)


# --- parameter recovery: utility -----------------------------------------------------------------


def rank_ordered_logit(sample, extra=None):
    """Weights and standard errors; Cox's partial likelihood, a stratum a ranking, is this logit."""
    x = sample.items - 3.0
    if extra is not None:
        x = np.hstack([x, extra])
    rankings = np.arange(len(sample.rank)).repeat(sample.rank.shape[1])
    fit = PHReg(sample.rank.ravel().astype(float), x, strata=rankings).fit(disp=0)
    d = sample.scores.shape[2]
    return fit.params[:d], fit.bse[:d]


def case_analyst_dummies(sample):
    cases, analysts = sample.design.sizes["case"], sample.design.sizes["analyst"]
    cell = sample.case[:, None] * analysts + np.arange(analysts)
    dummies = np.eye(cases * analysts)[cell.ravel()]
    return np.delete(
        dummies, np.arange(0, cases * analysts, analysts), axis=1
    )  # one a case is base


def test_planted_weights_are_recovered_by_the_rank_ordered_logit(design):
    z = []
    for seed in range(20):
        weights, errors = rank_ordered_logit(simulate(design, PLAIN, seed))
        z.append((weights - PLAIN.weights) / errors)
    z = np.array(z)
    assert np.abs(z.mean(axis=0)).max() < 3.5 / math.sqrt(len(z))
    assert 0.75 < z.var() < 1.3


def test_planted_weights_are_recovered_beside_effects_of_case_and_analyst(sample):
    weights, errors = rank_ordered_logit(sample, case_analyst_dummies(sample))
    assert np.abs((weights - PERCEPTION.weights) / errors).max() < 3
    biased, _ = rank_ordered_logit(sample)  # halo goes with the scores and is taken for them
    assert biased.sum() > weights.sum()


def test_shipped_weights_keep_the_proportions_of_table_4():
    slopes = np.array(published_model(PAPER).slopes)
    assert np.array(PERCEPTION.weights) == pytest.approx(-0.82 * slopes, abs=1e-12)


def test_of_two_analyses_the_better_is_ranked_above_with_logistic_probability(design):
    small = replace(PLAIN, weights=(0.5, 0, 0, 0, 0, 0, 0))
    above, total = 0, 0
    for seed in range(10):
        sample = simulate(design, small, seed)
        first = sample.scores[:, :, 0]
        better = first[:, :, None] - first[:, None, :] == 2
        above += (better & (sample.rank[:, :, None] < sample.rank[:, None, :])).sum()
        total += better.sum()
    expected = 1 / (1 + math.exp(-1.0))
    assert above / total == pytest.approx(expected, abs=0.02)


# --- parameter recovery: clmm --------------------------------------------------------------------


@pytest.fixture(scope="module")
def planted():
    design = perception_design(1)
    return simulate_cumulative(design, PERCEPTION, published_model(PAPER), 1)


def test_published_model_is_read_from_the_tables():
    model = published_model(PAPER)
    assert model.slopes[0] == -0.44
    assert model.cutpoints[0] == -11.77
    assert model.cutpoints[-1] == -3.62
    assert {term: round(variance, 3) for term, variance in model.variances.items()} == {
        "evaluator": 0.482,
        "case": 0.311,
        "analyst": 0.347,
        "evaluator:case": 0,
        "case:analyst": 0.467,
        "evaluator:analyst": 0.126,
    }


def test_cumulative_draws_are_no_rankings(planted):
    assert planted.rank.min() == 1
    assert planted.rank.max() == 9
    assert (np.sort(planted.rank, axis=1) != np.arange(1, 10)).any(axis=1).mean() > 0.9


def test_planted_slopes_and_cutpoints_are_recovered_without_random_effects():
    model = replace(published_model(PAPER), variances={})
    design = perception_design(1)
    everybody = replace(design, rated=np.ones_like(design.rated))
    sample = simulate_cumulative(everybody, PERCEPTION, model, 1)
    ordered = OrderedModel(sample.rank.ravel(), sample.items - 3.0, distr="logit")
    fit = ordered.fit(method="bfgs", disp=False, maxiter=200)
    slopes, errors = fit.params[:7], fit.bse[:7]
    assert np.abs((slopes - model.slopes) / errors).max() < 3
    cutpoints = ordered.transform_threshold_params(fit.params)[1:-1]
    shift = 3 * sum(model.slopes)  # of the scores that were centred at 3
    assert cutpoints == pytest.approx(np.array(model.cutpoints) - shift, abs=0.3)


def test_planted_model_is_recovered_by_clmm_in_r(planted):
    # Made by Rscript data/perception/simulation/clmm.R <these ratings> tests/R/simulate_clmm.csv
    path = Path(__file__).parent / "R/simulate_clmm.csv"
    digest = hashlib.sha256(planted.ratings().write_csv().encode()).hexdigest()
    assert digest in path.read_text(), "the generator changed: let R fit its ratings again"
    with path.open() as file:
        rows = {(row["kind"], row["name"]): row for row in csv.DictReader(file)}
    model = published_model(PAPER)
    for code, slope in zip(DIMENSIONS, model.slopes, strict=True):
        row = rows["slope", code]
        assert abs(float(row["estimate"]) - slope) < 3 * float(row["std_error"])
    refit = read_refit(path)
    cutpoints = [refit["cutpoint", f"{k}|{k + 1}"] for k in range(1, 9)]
    assert np.diff(cutpoints) == pytest.approx(np.diff(model.cutpoints), abs=0.35)
    assert refit["variance", "evaluator:case"] < 0.05
    for term in ("evaluator", "case:analyst", "evaluator:analyst"):
        assert 0.5 < refit["variance", term] / model.variances[term] < 2


def test_a_bigger_design_needs_no_new_code():
    base = perception_design(1)
    double = Design(
        base.dimensions,
        pl.concat(
            [
                base.evaluators,
                base.evaluators.with_columns(evaluator=pl.lit("M") + pl.col("evaluator")),
            ]
        ),
        base.cases,
        base.analysts,
        np.vstack([base.rated, base.rated]),
    )
    assert simulate(double, PERCEPTION, 1).rank.shape == (360, 9)
