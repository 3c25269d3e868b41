"""The report of a study: one page with answers, verdicts, tables and figures."""
