"""Whether weights vary, the mixed model beside, and the chapter on any study."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from chapter_cells import run, texts
from helpers.choice.fit import fit_choices
from helpers.choice.rankings import rankings_from_orders
from helpers.choice.sets import placewise
from helpers.mapping import mixed_model, tables, varying, verdict
from helpers.mapping.data import Mapped, mapped
from helpers.mapping.varying import CASE, EVALUATOR, KIND, ScoreTest
from helpers.not_estimable import NotEstimableError
from helpers.show import Table
from helpers.study import load
from study_folder import RATINGS, Folder

HEADER, *ROWS = RATINGS.splitlines()


def simulated(seed, cases=4, evaluators=12, analysts=6, by_case=0.0, by_kind=0.0, by_evaluator=0.0):
    """Rankings by a rank-ordered logit of two dimensions whose weights may vary."""
    rng = np.random.default_rng(seed)
    weights = np.array([0.6, 0.4])
    case_weights = rng.normal(0, by_case, (cases, 2))
    own_weights = rng.normal(0, by_evaluator, (evaluators, 2))
    worth = rng.normal(0, 0.5, (cases, analysts))
    orders, evaluator, case, scores = [], [], [], []
    for e in range(evaluators):
        for c in range(cases):
            x = rng.integers(1, 6, (analysts, 2)).astype(float)
            kind = np.arange(analysts) < analysts // 2
            varied = weights + case_weights[c] + own_weights[e] + by_kind * kind[:, None]
            utility = (x * varied).sum(axis=1) + worth[c] + rng.gumbel(size=analysts)
            order = np.argsort(-utility)
            orders.append([f"A{a}" for a in order])
            scores.append(x[order])
            evaluator.append(f"E{e}")
            case.append(str(c))
    plain = rankings_from_orders(orders, evaluator)
    rankings = replace(
        plain,
        scores=np.concatenate(scores),
        dimensions=("First", "Second"),
        case=np.array(case),
    )
    made = Mapped.__new__(Mapped)
    made.__dict__["rankings"] = rankings
    made.__dict__["physician"] = (
        np.isin(rankings.item, [f"A{a}" for a in range(analysts // 2)]) * 1.0
    )
    return made


def p_values(seeds, **how):
    found = [varying.tests(simulated(seed, **how), 199, seed) for seed in seeds]
    return {f: [t.p for one in found for t in one if t.factor == f] for f in varying.FACTORS}


def test_constant_weights_are_rarely_called_varying():
    found = p_values(range(30))
    for factor, p in found.items():
        # of 30 tests at five per cent more than 6 have a chance below one in a thousand
        assert sum(one <= 0.05 for one in p) <= 6, factor
        assert min(p) < 0.5 < max(p), factor


@pytest.mark.parametrize(
    ("how", "factor"),
    [({"by_case": 0.6}, CASE), ({"by_kind": 0.6}, KIND), ({"by_evaluator": 0.6}, EVALUATOR)],
)
def test_weights_that_vary_are_seen_to(how, factor):
    found = p_values(range(6), **how)
    assert np.median(found[factor]) <= 0.05


def test_what_analyses_are_worth_beyond_scores_is_no_weight():
    made = varying.tests(simulated(3), 199, 1)
    assert all(test.intercepts and not test.reason for test in made)


def test_statistic_is_the_score_test_of_the_larger_model():
    # By hand, for kinds: gradient and information of the model with weights by kind at the null.
    simulation = simulated(5)
    test = next(t for t in varying.tests(simulation, 9, 1, intercepts=False) if t.factor == KIND)
    own, kind = simulation.rankings, simulation.physician[:, None]
    x = np.column_stack([own.scores, kind])
    null = fit_choices(placewise(own, x)[0], ["a", "b", "k"], "m", "weights")
    whole, _ = placewise(own, np.column_stack([x, own.scores * kind]))
    beta = np.concatenate([null.best.beta[0], [0, 0]])[None]
    gradient, information = whole.slopes(beta, whole.weight[None])
    lm = gradient[0] @ np.linalg.solve(information[0], gradient[0])
    assert test.statistic == pytest.approx(lm, rel=1e-6)
    assert test.df == 2


def place_by_place(rankings, x, beta):
    """Gradient and information of a rank-ordered logit, one choice after the other."""
    gradient, information = np.zeros(len(beta)), np.zeros((len(beta),) * 2)
    for number in range(len(rankings)):
        own = x[rankings.ranking == number]  # best first
        for place in range(len(own) - 1):
            rest = own[place:]
            chance = np.exp(rest @ beta) / np.exp(rest @ beta).sum()
            mean = chance @ rest
            gradient += rest[0] - mean
            information += (rest.T * chance) @ rest - np.outer(mean, mean)
    return gradient, information


@pytest.mark.parametrize("factor", [CASE, EVALUATOR, KIND])
def test_statistics_beside_intercepts_are_those_of_choices_one_by_one(factor):
    simulation = simulated(7, cases=3, evaluators=8, analysts=4)
    own = simulation.rankings
    case, evaluator = own.case[own.ranking], own.evaluator[own.ranking]
    columns = [own.scores]
    for name in np.unique(case):  # an intercept for each analysis but the first of its case
        columns += [((case == name) & (own.item == f"A{a}"))[:, None] for a in (1, 2, 3)]
    x = np.column_stack(columns).astype(float)
    beta = np.zeros(x.shape[1])
    for _ in range(30):
        gradient, information = place_by_place(own, x, beta)
        beta += np.linalg.solve(information, gradient)
    groups = {CASE: case, EVALUATOR: evaluator}.get(factor)
    split = (
        [simulation.physician == 1]
        if groups is None
        else [groups == name for name in np.unique(groups)[1:]]
    )
    larger = np.column_stack([x, *(own.scores * one[:, None] for one in split)])
    start = np.concatenate([beta, np.zeros(larger.shape[1] - len(beta))])
    gradient, information = place_by_place(own, larger, start)
    test = next(t for t in varying.tests(simulation, 9, 1) if t.factor == factor)
    assert test.intercepts
    assert test.statistic == pytest.approx(gradient @ np.linalg.solve(information, gradient))
    assert test.df == 2 * len(split)


def test_few_clusters_are_refused():
    made = varying.tests(simulated(1, evaluators=4), 99, 1)
    told = {test.factor: test for test in made}
    assert told[CASE].p is None
    assert "6 evaluators are needed" in told[CASE].reason


def made_with(*p):
    return [
        ScoreTest(f, True, p=one, reason="few" * (one is None))
        for f, one in zip("abc", p, strict=True)
    ]


@pytest.mark.parametrize(
    ("p", "decision"),
    [
        ((0.01, 0.02, 0.04), "supported"),
        ((0.001, 0.5, 0.5), "partly supported"),
        ((0.02, 0.5, 0.5), "not supported"),
        ((0.001, None, 0.001), "partly supported"),
        ((None, None, None), "not estimable"),
    ],
)
def test_decision_follows_the_rule(p, decision):
    made = made_with(*p)
    assert verdict.decide(made) == decision
    assert decision in verdict.sentence(made)
    line = verdict.entry(made)
    assert line.decision == decision
    assert (line.p is None) == (decision == "not estimable")


def test_shares_need_slopes_of_one_sign():
    assert mixed_model.in_shares({"a": -1.0, "b": -3.0}) == {"a": 25, "b": 75}
    assert mixed_model.in_shares({"a": -1.0, "b": 3.0}) == {}
    assert mixed_model.in_shares({"a": -1.0, "b": float("nan")}) == {}


def rows(keep=lambda evaluator, case, analyst: True, change=lambda cells: cells):
    """Ratings whose row is kept, changed, and ranked anew within evaluator and case."""
    kept = [change(row.split(",")) for row in ROWS if keep(*row.split(",")[:3])]
    groups = {}
    for cells in kept:
        cells[5] = str(groups.setdefault((cells[0], cells[1]), 0) + 1)
        groups[cells[0], cells[1]] += 1
    return "\n".join([HEADER, *(",".join(cells) for cells in kept)]) + "\n"


def put(place, value):
    def change(cells):
        cells[place] = value
        return cells

    return change


def larger(seed):
    """Eight evaluators, two cases, five analysts: enough for some models and not for others."""
    rng = np.random.default_rng(seed)
    lines = [HEADER]
    for evaluator in range(8):
        for case in (1, 2):
            x = rng.integers(1, 6, (3, 2))
            rank = np.argsort(np.argsort(-(x.sum(axis=1) + rng.gumbel(size=3)))) + 1
            lines += [
                f"E{evaluator},{case},{name},{a},{b},{r}"
                for name, (a, b), r in zip("ABC", x, rank, strict=True)
            ]
    return "\n".join(lines) + "\n"


EVALUATORS = "evaluator,specialty,years\n" + "".join(f"E{e},,\n" for e in range(8))
ODD = {
    "tiny": {},
    "one evaluator": {"ratings.csv": rows(lambda e, c, a: e == "E1")},
    "one analyst": {"ratings.csv": rows(lambda e, c, a: a == "A")},
    "one case": {"ratings.csv": rows(lambda e, c, a: c == "1")},
    "one of each": {"ratings.csv": rows(lambda e, c, a: (e, c, a) == ("E1", "1", "A"))},
    "a constant dimension": {"ratings.csv": rows(change=put(3, "3"))},
    "a dimension nobody scored": {"ratings.csv": rows(change=put(4, ""))},
    "eight evaluators": {"ratings.csv": larger(1), "evaluators.csv": EVALUATORS},
    "no kinds": {
        "ratings.csv": larger(2),
        "evaluators.csv": EVALUATORS,
        "analysts.csv": "analyst,kind,level,family\nA,llm,,\nB,llm,,\nC,llm,,\n",
    },
    "labels that Markdown knows": {
        "study.yml": (
            "title: T\nkind: perception\nsimulated: true\ndimensions:\n"
            "  - {code: accuracy, label: 'A*|[x](y) $^_$', min: 1, max: 5}\n"
            "  - {code: clarity, label: '@tbl-x `b` $1 and $2', min: 0, max: 10}\n"
        ),
    },
}


@pytest.fixture(params=ODD)
def odd(request, tmp_path):
    folder = Folder(tmp_path / "study")
    for name, text in ODD[request.param].items():
        folder.write(name, text)
    return folder


def test_odd_studies_give_numbers_or_reasons(odd, recwarn):
    shown, entries = run("perception-12-mapping", odd.path, draws=99, samples=3)
    for word in ("nan", "inf", "None", "NaN", "∞"):
        assert not re.search(rf"(?<![\w]){word}(?!\w)", texts(shown)), word
    for table in (one for one in shown if isinstance(one, Table)):
        values = {cell for row in csv.reader(io.StringIO(table.csv)) for cell in row}
        assert not values & {"NaN", "nan", "inf", "-inf"}
    (line,) = entries
    assert line.topic == "H5"
    assert (line.p is None) == (line.decision == "not estimable")
    assert "not estimable" not in line.decision or "not estimable: " in line.result


def test_terms_without_room_are_named(tmp_path):
    folder = Folder(tmp_path / "study")
    folder.write("ratings.csv", rows(lambda e, c, a: c == "1"))
    found = mixed_model.Decomposed(mapped(load(folder.path)))
    assert found.left_out["case"] == "there is one level only"
    assert found.left_out["evaluator:case"] == "has the same levels as evaluator"
    assert found.left_out["evaluator:analyst"] == "each row is a level of its own"
    assert found.terms == ("evaluator", "analyst")


def test_refusals_keep_no_formula(tmp_path):
    folder = Folder(tmp_path / "study")
    folder.write("ratings.csv", rows(change=put(3, "3")))
    found = mixed_model.Decomposed(mapped(load(folder.path)))
    try:
        told = found.fit.summary() and " ".join(found.named(note) for note in found.fit.notes)
    except NotEstimableError as error:
        told = error.reason
    assert "dimension1" not in told


def refused(**tests):
    row = {"loglik_without": -9.0, "lr": 2.0, "p_mixture": None, "p_bootstrap": None}
    return pl.DataFrame([{"term": "case"} | row | {"resamples": 0} | tests])


@pytest.mark.parametrize(
    ("tests", "note"),
    [
        ({"lr": None}, "not estimable: the model without it did not converge"),
        ({}, "no p: no simulated study could be fitted"),
        ({"p_bootstrap": 0.5}, None),
    ],
)
def test_intercepts_without_p_say_why(monkeypatch, tests, note):
    monkeypatch.setattr(mixed_model, "random_intercepts", lambda *_: refused(**tests))
    assert tables.intercepts(None, 9, 1).to_dicts()[0].get("Note") == note


def test_the_mixture_is_not_used_for_a_slope_beside_a_variance_at_zero(monkeypatch, tmp_path):
    folder = Folder(tmp_path / "study")
    folder.write("ratings.csv", larger(4))
    folder.write("evaluators.csv", EVALUATORS)
    found = mixed_model.Decomposed(mapped(load(folder.path)))
    plain = found.settled
    inside = [term for term in found.terms if term not in plain.boundary]
    real = mixed_model.Decomposed.fitted

    def fitted(self, terms, link="logit", slope=""):
        fit = real(self, terms, link, slope)
        higher = {"loglik": plain.loglik + 2, "boundary": {inside[0]: -1.0}} if slope else {}
        return replace(fit, converged=True, **higher)

    monkeypatch.setattr(mixed_model.Decomposed, "fitted", fitted)
    (slope,) = [one for one in mixed_model.random_slopes(found) if one.factor == "evaluator"]
    assert slope.lr > 3
    assert slope.p is None
    assert f"the variance of {inside[0]} is zero" in slope.reason
    assert tables.slope_table([slope])["Note"].to_list() == [f"no p: {slope.reason}"]


def test_models_show_every_link_and_say_who_is_missing(tmp_path):
    folder = Folder(tmp_path / "study")
    folder.write("ratings.csv", larger(1))  # everybody ranked both cases
    folder.write("evaluators.csv", EVALUATORS)
    found = mixed_model.Decomposed(mapped(load(folder.path)))
    assert found.mapped.everywhere == []
    names = {one.name: one.state for one in mixed_model.variants(found)}
    assert {f"link {link}" for link in ("probit", "cloglog", "loglog", "cauchit")} <= set(names)
    assert names[mixed_model.FEWER].startswith("not estimable: evaluators of all cases and others")
    otherwise = verdict.otherwise(found.mapped, 99, 1)
    assert otherwise["Evaluators"].unique().len() == 2


def test_slopes_without_end_are_named():
    assert tables.endless(True, {"low": -np.inf, "high": -1.0}).startswith("a slope has no finite")
    assert tables.endless(True, {"low": -2.0, "high": -1.0}) == ""
    assert tables.endless(False, {"low": -2.0, "high": -1.0}).startswith("not estimable")
