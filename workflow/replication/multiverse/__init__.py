"""One claim under many choices of what the papers leave open."""
