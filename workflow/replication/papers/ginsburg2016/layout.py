"""Where the feature sets lie. Light: the rules read it."""

FEATURES = "features"
