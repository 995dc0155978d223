"""From scores to ranks, and whether the way there is the same for all (H5).

`data` prepares a study, `varying` tests whether the weights of the dimensions vary in a
rank-ordered logit, `mixed_model` fits the paper's mixed model and its relatives; `tables`,
`picture` and `verdict` show what they find.
"""
