"""What carries any study: configuration, downloads, jobs, and the provenance of results."""
