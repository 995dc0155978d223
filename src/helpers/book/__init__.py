"""The book: read its sources, run its chapters, stage and render it."""
