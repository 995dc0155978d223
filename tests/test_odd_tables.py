"""Whatever the table, a statistic is a finite number within its interval, or has a reason."""

import warnings

import numpy as np
import pytest

from helpers.agreement import (
    FORMS,
    compare_cases,
    cronbach_alpha,
    fleiss_kappa,
    friedman,
    icc,
    kendalls_w,
    krippendorff_alpha,
    mcdonald_omega,
    ordered_contrast,
    pages_l,
    weighted_kappa,
)


def odd_table(seed):
    """Few rows and columns or none, many ties, constants, gaps, rows without any rating."""
    random = np.random.default_rng(seed)
    shape = random.integers(0, 7, 2)
    table = random.integers(1, 1 + random.integers(1, 6), shape).astype(float)
    if seed % 5 == 0:
        table = np.round(random.random((shape[0], 1)) + random.random(shape[1]), 1)
    if seed % 2:
        table[random.random(shape) < random.random() * 0.7] = np.nan
    return table


def statistics(table):
    yield from (kendalls_w(table), kendalls_w(table, ties=False), friedman(table))
    yield from (icc(table, form, method) for form in FORMS for method in ("anova", "reml"))
    for level in ("nominal", "ordinal", "interval", "ratio"):
        yield from (krippendorff_alpha(table, level, over) for over in ("raters", "units"))
    yield from (fleiss_kappa(table, exact) for exact in (False, True))
    if len(table) > 1:
        for weights in ("unweighted", "linear", "quadratic"):
            yield weighted_kappa(table[0], table[1], weights)
    group = np.arange(len(table)) % 3
    yield cronbach_alpha(table)
    for part in ("within", "between"):
        yield cronbach_alpha(table, group, part, group)
        yield mcdonald_omega(table, clusters=group, part=part, groups=group)
    yield from (mcdonald_omega(table, 2, kind) for kind in ("total", "hierarchical"))
    yield ordered_contrast(table)
    yield from compare_cases([table, table[::-1], table]).cases


@pytest.mark.parametrize("seed", range(60))
def test_a_number_or_a_reason(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for estimate in statistics(odd_table(seed)):
            assert estimate.estimable or estimate.reason
            if estimate.has_interval:
                assert estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9
            assert "nan" not in estimate.text()
        page = pages_l(odd_table(seed))
        assert page.reason or 0 <= page.p <= 1
