# Your own embeddings, named in own_embeddings of the configuration.
OWN_EMBEDDINGS = {item["name"]: item for item in config["own_embeddings"]}
for name in OWN_EMBEDDINGS:
    OWN_RESULTS[f"{RESULTS}/embedding_check/{name}/check.html"] = (
        f"what can be trusted in the embedding of {name}"
    )


def checked_files(item):
    """Files that an item names."""
    named = {key: item[key] for key in ("table", "labels", "anndata") if key in item}
    return named | ({"embeddings": item["embeddings"]} if "embeddings" in item else {})


def has_labels(item):
    return "label" in item or "labels" in item


def has_data(item):
    """Whether there are data that embeddings can be compared with."""
    ready = "embeddings" in item or "obsm" in item
    return not ready or "table" in item or "representation" in item


def check_tables(item):
    """Tables of a check, and its page: name -> file."""
    folder = f"{RESULTS}/embedding_check/{item['name']}"
    names = ["points", "convergence"]
    names += ["label_groups", "label_pairs"] if has_labels(item) else []
    names += ["fidelity"] if has_data(item) else []
    made = {name: f"{folder}/{name}.tsv" for name in names} | {
        "page": f"{folder}/check.html"
    }
    if item.get("distances"):
        made["distances"] = f"{folder}/distances.npy"
    if "anndata" in item:
        made["anndata"] = f"{folder}/{item['name']}.h5ad"
    return made


def check_figures(item):
    """Figures of a check, in the order of the page."""
    names = ["pictures", "convergence"]
    names += ["label_groups", "label_pairs"] if has_labels(item) else []
    return names + (["fidelity"] if has_data(item) else [])
