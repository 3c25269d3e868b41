"""Methods of the arena that the rule treats in a way of their own."""

CONTROL, SINGLE, MEDOID = "random_embedding", "random_run", "medoid_run"
