# t-SNE of the digits: the pool of runs that the experiments share, and its size.
from replication.papers.tomo2025.pools import pool_size

REFERENCE_RUNS, OUTSIDE_RUNS = pool_size(config)
POOL = f"{RESULTS}/embeddings/{config['tsne']['implementation']}"
POOL_CHUNKS = chunks(REFERENCE_RUNS + OUTSIDE_RUNS, config["tsne"]["runs_per_job"])
EQUIVALENCE = config["tsne_equivalence"]
EQUIVALENCE_RUNS = {
    "exact": EQUIVALENCE["n_runs"],
    "barnes_hut": EQUIVALENCE["n_runs"],
    "scikit-learn": EQUIVALENCE["n_runs"],
    "scikit-learn-fine": EQUIVALENCE["n_fine_runs"],
}
EXTENSIONS = f"{RESULTS}/mce_extensions"
SETTINGS["mce_convergence"] = {
    "n_samples": config["digits"]["n_samples"],
    "reference_runs": REFERENCE_RUNS,
}
ADDED["consensus_comparison"] = {
    "runs": (
        {"pool": f"{POOL}/pool.npz", "gram": f"{POOL}/gram.npy"},
        {
            "n_samples": config["digits"]["n_samples"],
            "median_consensus": config["median_consensus"],
            "reference_runs": REFERENCE_RUNS,
            "parameters": config["consensus_comparison"],
        },
    )
}
