"""The verdict on each claim, from the metrics alone."""
