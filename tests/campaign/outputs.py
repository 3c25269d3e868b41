"""Outputs of every job that are lost or emptied one at a time, and inputs that are replaced: one run makes all good."""

import gzip
import os
import random
import shutil
import tempfile
import time
from functools import cache
from json import loads

import yaml
from checkout import Checkout, untimed
from processors import comparable
from trials import expect

# Configuration file -> what makes its study short.
EXAMPLE = {"name": "digits", "table": "results/example/embedding.tsv", "label": "digit", "id": "image"}
STUDIES = {
    "own_images": {"image_embedding": {"max_objects": 40, "n_embeddings": 5}},
    "own_embedding": {"own_embeddings": [{**EXAMPLE, "sample": 60, "n_embeddings": 3, "n_neighbors": 5}]},
    "own_features": {"feature_selection": {"rounds": 3}},
    "own_retrieval": {},
    "own_expression": {},
    "own_spectra": {},
    "quick": {},
}
# Into as many trials the outputs of each study are cut.
SHARES = 10
EXAMPLES = {
    "own_images": ["image.nii.gz", "mask.nii.gz", "labels.nii.gz"],
    "own_embedding": ["embedding.tsv"],
    "own_features": ["features.tsv"],
    "own_retrieval": ["items.tsv", "dissimilarities.tsv"],
    "own_expression": ["table.tsv"],
    "own_spectra": [f"spectra_{name}.tsv" for name in ("first", "second", "third", "fourth")],
}
REPLACED = [(study, name, age) for study, names in EXAMPLES.items() for name in names for age in ("older", "newer")]


@cache
def checkout() -> Checkout:
    """The one of this process."""
    return Checkout(tempfile.mkdtemp(prefix="campaign-"))


def remove() -> None:
    shutil.rmtree(checkout().folder, ignore_errors=True)


class Finished:
    """A study that has run to its end, and the bytes of what it wrote."""

    def __init__(self, name: str, files: list[str]):
        self.command = ["snakemake", "--cores", "2", "--configfile", *files]
        checkout().run(*self.command)
        manifest = loads((checkout() / "results" / name / "manifest.json").read_text())
        examples = [path for path in manifest["data"] if path.startswith("results/example/")]
        self.files = {path: self.content(path) for path in sorted([*manifest["results"], *examples])}
        self.outputs = [*self.files, f"results/{name}/manifest.json"]

    def content(self, path: str) -> bytes | str:
        """What a file holds, without what was timed."""
        file = checkout() / path
        if file.suffix == ".tsv":
            return comparable(file)
        return untimed(file) if file.name == "report.html" else file.read_bytes()

    def run(self, reason: str) -> str:
        """Run the documented command, after which every file is as it was."""
        said = checkout().run(*self.command)
        missing = [path for path in self.outputs if not (checkout() / path).is_file()]
        expect(not missing, f"{reason}: missing after the run: {missing}; it said:\n{said}")
        others = [path for path, content in self.files.items() if self.content(path) != content]
        expect(not others, f"{reason}: other bytes: {others}; it said:\n{said}")
        return said


@cache
def finished(name: str) -> Finished:
    """A study of the process, made when it is first asked for."""
    short = f"config/short_{name}.yaml"
    (checkout() / short).write_text(yaml.safe_dump(STUDIES[name]))
    return Finished(name, [f"config/{name}.yaml", short])


@cache
def on_own_files(name: str) -> Finished:
    """The same on copies of its examples, which no job makes."""
    finished(name)
    shutil.copytree(checkout() / "results/example", checkout() / "own", dirs_exist_ok=True)
    files = []
    for prefix in ("", "short_"):
        text = (checkout() / f"config/{prefix}{name}.yaml").read_text().replace("results/example/", "own/")
        files.append(f"config/{prefix}{name}_on_own.yaml")
        (checkout() / files[-1]).write_text(text.replace(f"study: {name}", f"study: {name}_on_own"))
    return Finished(f"{name}_on_own", files)


def lose_outputs(k: int, rng: random.Random) -> None:
    """Delete, then empty, a share of the outputs of a study, one at a time: the same command makes each again."""
    one = finished(list(STUDIES)[k % len(STUDIES)])
    for path in one.outputs[k // len(STUDIES) :: SHARES]:
        (checkout() / path).unlink()
        one.run(f"{path} was deleted")
        (checkout() / path).write_bytes(b"")
        one.run(f"{path} was emptied")


def replace_input(k: int, rng: random.Random) -> None:
    """Another file with the same values in place of an input, older or newer, and back: it is said and read again."""
    study, name, age = REPLACED[k]
    one, path = on_own_files(study), checkout() / "own" / name
    before = path.read_bytes()
    other = gzip.compress(gzip.decompress(before), 1) if name.endswith(".gz") else before.replace(b"\n", b"\r\n")
    expect(other != before, f"{name} has no other form")
    for content in (other, before):
        path.write_bytes(content)
        stamp = 1e9 if age == "older" else time.time()
        os.utime(path, (stamp, stamp))
        said = one.run(f"own/{name} was replaced by one that is {age}")
        expect(f"  own/{name}: changed\n" in said, f"own/{name}: the run does not name it:\n{said}")
        expect("Nothing to be done" not in said, f"own/{name}: nothing was done:\n{said}")
