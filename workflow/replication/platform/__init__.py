"""What carries any study: configuration, downloads, jobs, and the trail from results to data."""
