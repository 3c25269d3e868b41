"""What there is: the papers, their experiments, settings and claims, found where they are declared."""
