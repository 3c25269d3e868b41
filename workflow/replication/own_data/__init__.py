"""Work on data of your own that belongs to no paper."""
