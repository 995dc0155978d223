"""A specification curve: what becomes of each hypothesis under other defensible choices.

Every figure is computed by the functions of the chapter that decides the hypothesis. What is new
here is which choices are combined, and how many of the combinations agree.
"""
