# Downloads. An experiment names the files it reads as "resources/data/<name in resources/datasets.yaml>".
import re

from replication.platform.registry import files_of_sets, load_registry

REGISTRY = load_registry()
FETCHED_FILES = [
    data_file.name for data_file in files_of_sets(REGISTRY, config["data"]["sets"])
]


# Nodes of a cluster often have no network.
localrules:
    fetch,
    download,
    verify_data,


rule fetch:
    input:
        files=expand("resources/data/{file}", file=FETCHED_FILES),
    message:
        "All files of the data sets are in place"


rule download:
    output:
        # update: a file that is there and fits is kept, so that a rerun needs no network.
        file=update("resources/data/{file}"),
    log:
        "results/logs/download/{file}.log",
    wildcard_constraints:
        file="|".join(map(re.escape, REGISTRY)),
    conda:
        "../../environment.yml"
    params:
        # Another hash is another file and fetches again; another address or mirror is not.
        sha256=published_hash,
    message:
        "Fetch {wildcards.file}"
    script:
        "../scripts/download_file.py"


rule verify_data:
    log:
        "results/logs/verify_data.log",
    conda:
        "../../environment.yml"
    params:
        folder="resources/data",
        files=FETCHED_FILES,
    message:
        "Hash the data files again"
    script:
        "../scripts/verify_data.py"
