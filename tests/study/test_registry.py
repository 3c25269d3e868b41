"""The registry: every file has an address, a check and a licence, and mistakes are named."""

import re

import pytest
import yaml
from replication.catalogue.configuration import read_configuration
from replication.platform.configuration import ConfigurationError
from replication.platform.registry import REGISTRY_PATH, files_of_sets, load_registry


@pytest.fixture(scope="module")
def registry():
    return load_registry()


@pytest.fixture
def small(tmp_path):
    """A registry with one file, and a way to load it after a change."""
    entry = {
        "name": "a/b.data",
        "description": "d",
        "shape": [2, 3],
        "bytes": 6,
        "sha256": "0" * 64,
        "urls": ["{site}/b.data"],
    }
    one_set = {"description": "d", "citation": "c", "licence": "l", "files": [entry]}
    content = {"sources": {"site": "https://example.org"}, "sets": {"a": one_set}}

    def load():
        path = tmp_path / "datasets.yaml"
        path.write_text(yaml.safe_dump(content))
        return load_registry(path)

    return content, one_set, entry, load


def test_the_sets_of_the_paper_config_are_those_of_the_registry(registry):
    sets = read_configuration()["data"]["sets"]
    assert sets == list(dict.fromkeys(data_file.set for data_file in registry.values()))


def test_every_file_can_be_checked_cited_and_found(registry):
    for name, data_file in registry.items():
        assert data_file.name == name
        assert data_file.sha256 or data_file.unzipped_bytes
        assert data_file.citation
        assert data_file.licence
        assert all(re.fullmatch(r"https?://[^{}\s]+", url) for url in data_file.urls)


def test_no_two_files_share_a_hash_or_an_address(registry):
    hashes = [data_file.sha256 for data_file in registry.values() if data_file.sha256]
    urls = [url for data_file in registry.values() for url in data_file.urls]
    assert len(set(hashes)) == len(hashes)
    assert len(set(urls)) == len(urls)


def test_every_address_at_github_is_pinned_to_a_commit(registry):
    urls = [url for data_file in registry.values() for url in data_file.urls if "github" in url]
    assert urls
    assert all(re.match(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/", url) for url in urls)


def test_brainweb_expands_to_eighteen_volumes_and_the_phantom(registry):
    files = files_of_sets(registry, ["brainweb"])
    volumes = [data_file for data_file in files if "_pn" in data_file.name]
    assert len(volumes) == 6 * 3
    assert len(files) == 19
    volume = registry["brainweb/pd_icbm_normal_1mm_pn7_rf40.raws.gz"]
    assert "do_download_alias=PD+ICBM+normal+1mm+pn7+rf40&format_value=raw_short" in volume.urls[0]
    assert volume.unzipped_bytes == 181 * 217 * 181 * 2
    assert registry["brainweb/phantom_1.0mm_normal_crisp.rawb.gz"].unzipped_bytes == 181 * 217 * 181
    assert "brainweb_resimulated" in volume.fallback


def test_training_and_test_have_the_same_genes(registry):
    files = files_of_sets(registry, ["kent_ridge"])
    for training, test in zip(files[::2], files[1::2], strict=True):
        assert "train" in training.name
        assert test.name == training.name.replace("train", "test")
        assert training.shape[1] == test.shape[1]


def test_a_file_takes_from_its_set_what_it_does_not_say_itself(small):
    _, one_set, entry, load = small
    assert load()["a/b.data"].citation == one_set["citation"]
    entry["citation"] = "its own"
    assert load()["a/b.data"].citation == "its own"
    assert load()["a/b.data"].urls == ("https://example.org/b.data",)
    assert load()["a/b.data"].shape == (2, 3)


def test_an_unknown_set_is_named_with_the_nearest_one(registry):
    with pytest.raises(ConfigurationError, match="unknown data set 'kent_rigde'; did you mean 'kent_ridge'"):
        files_of_sets(registry, ["uci", "kent_rigde"])


def test_files_of_sets_keeps_the_order_of_the_registry(registry):
    names = [data_file.name for data_file in files_of_sets(registry, ["uci", "kent_ridge", "uci"])]
    assert names == [name for name in registry if name.startswith(("kent_ridge/", "uci/"))]


@pytest.mark.parametrize(
    ("of_entry", "message"),
    [
        ({"bytes": 0}, r"a/b\.data\.bytes: expected .*found 0"),
        ({"sha265": "0" * 64}, r"a/b\.data\.sha265: unknown key; did you mean 'sha256'"),
        ({"sha256": None}, r"a/b\.data\.unzipped_bytes: missing"),
        ({"name": "../b.data"}, r"\.\./b\.data\.name: expected a relative path.*'\.\./b\.data'"),
        ({"urls": ["{sight}/b.data"]}, r"a/b\.data: \{sight\} is neither a source"),
    ],
)
def test_mistakes_are_named(small, of_entry, message):
    _, _, entry, load = small
    assert set(load()) == {"a/b.data"}
    entry.update(of_entry)
    with pytest.raises(ConfigurationError, match=rf"datasets\.yaml: (.|\n)*{message}"):
        load()


@pytest.mark.parametrize("key", ["sources", "sets", "a.files", "a.name", "a.urls"])
def test_a_missing_key_is_named(small, key):
    content, one_set, entry, load = small
    part = next(part for part in (content, one_set, entry) if key.removeprefix("a.") in part)
    del part[key.removeprefix("a.")]
    with pytest.raises(ConfigurationError, match=rf"datasets\.yaml: {key}: missing$"):
        load()


def test_a_file_that_is_listed_twice_or_not_cited_is_named(small):
    _, one_set, entry, load = small
    del one_set["citation"]
    with pytest.raises(ConfigurationError, match=r"a/b\.data\.citation: missing"):
        load()
    one_set |= {"citation": "c", "files": [entry, {**entry, "urls": ["{site}/other.data"]}]}
    with pytest.raises(ConfigurationError, match=r"a/b\.data is listed twice"):
        load()


def test_the_registry_names_no_place_of_one_machine():
    text = REGISTRY_PATH.read_text()
    assert not re.search(r"(?m)(^|[\s\"'])(/|\.\./|file:|localhost)", text)
