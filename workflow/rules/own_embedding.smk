# What in your own embeddings can be trusted: a target for all checks.
OWN_EMBEDDINGS = [item["name"] for item in config["own_embeddings"]]


localrules:
    embedding_check,


rule embedding_check:
    input:
        files=[
            getattr(rules, f"check_embedding_{name}").output for name in OWN_EMBEDDINGS
        ],
    message:
        "Check what can be trusted in the embeddings of {OWN_EMBEDDINGS}"
