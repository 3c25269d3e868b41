"""What an embedding shows of the data, and what only of the run: stability, convergence and fidelity."""
