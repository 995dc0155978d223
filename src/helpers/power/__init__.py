"""How likely a study of some size is to see what it looks for, and how exactly it measures.

`next_study` takes the sizes of a study for a plan, `measures` simulates one study and makes the
book's tests of it, `grid` does so over numbers of evaluators and cases, and `tables` and `picture`
show what came out.
"""
