"""What several papers need: statistics, tidy metrics, judges of claims, plot style."""
