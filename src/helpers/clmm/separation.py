"""Whether the predictors separate the categories, so that no slope fits best.

Estimates are infinite where there is a direction along which every row's upper edge can rise (or
stay) and its lower edge fall (or stay), and some edge moves: each step that way makes every rating
more probable, whatever the random effects are. Such a direction is the solution of a linear
programme (Albert & Anderson 1984; Konis 2007, *Linear programming algorithms for detecting
separated data in binary logistic regression models*).
"""

import numpy as np
from scipy.optimize import linprog

from helpers.clmm.problem import Problem

MOVES = 1e-6


def separating(problem: Problem, names: list[str]) -> list[str]:
    """Names of the fixed parameters that have no finite estimate.

    Parameters
    ----------
    problem : Problem
        The likelihood.
    names : list of str
        Names of its fixed parameters, thresholds' first.
    """
    upper, lower = problem.edges
    room = np.unique(np.vstack([upper, -lower]), axis=0)  # of last and first category: rows of 0
    found = linprog(-room.sum(axis=0), A_ub=-room, b_ub=np.zeros(len(room)), bounds=(-1, 1))
    direction = np.zeros(problem.fixed) if found.x is None else found.x
    if (room @ direction).sum() < MOVES:
        return []
    slopes = range(problem.matrix.shape[1], problem.fixed)
    moving = [names[j] for j in slopes if abs(direction[j]) > MOVES]
    return moving or [name for name, d in zip(names, direction, strict=True) if abs(d) > MOVES]
