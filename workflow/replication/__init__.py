"""The study: five papers rerun with the library, claim by claim."""
