"""Seeds, threads, labels and portable arithmetic."""
