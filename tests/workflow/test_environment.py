"""One environment, written three times: environment.yml, requirements.lock and pyproject.toml agree."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
# At least so many packages in each.
LOCKS = {
    "requirements.lock": 50, "requirements-docs.lock": 50, "requirements-slurm.lock": 20, "requirements-install.lock": 1
}  # fmt: skip
HASH = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}( \\)?")


def conda_pins():
    """Name -> version of environment.yml; python among them."""
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    pins = [re.fullmatch(r"([A-Za-z0-9_.-]+)=([0-9][0-9.]*)", entry) for entry in listed]
    assert all(pins), "expected name=version throughout"
    return {canonicalize_name(pin[1]): pin[2] for pin in pins}


def requirements_of(lock):
    """The requirements of a lock file, without hashes."""
    lines = re.findall(r"^([^\s#].*?)(?: \\)?$", lock, re.M)
    return [Requirement(line) for line in lines]


def locked_pins(python):
    """Name -> version of the lock file, as pip reads it with this Python on Linux."""
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "os_name": "posix",
        "platform_machine": "x86_64",
    }
    pins = {}
    for requirement in requirements_of(LOCK):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            (specifier,) = requirement.specifier
            assert specifier.operator == "=="
            assert pins.setdefault(canonicalize_name(requirement.name), specifier.version) == specifier.version
    return pins


def direct_requirements():
    """The requirements of pyproject.toml with the extras that the study and its tests need; others are not pinned."""
    return list(with_extras(PROJECT["dependencies"], ["workflow", "dev"]))


def with_extras(lines, extras):
    """Requirements, those of extras, and those of the extras that these name."""
    for line in (*lines, *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])):
        requirement = Requirement(line)
        if requirement.name == PROJECT["name"]:
            yield from with_extras([], requirement.extras)
        else:
            yield requirement


def test_conda_and_pip_users_get_the_same_versions():
    conda = conda_pins()
    locked = locked_pins(conda.pop("python"))
    assert conda == {name: locked[name] for name in conda}


def test_the_direct_dependencies_are_the_same_everywhere():
    direct = {canonicalize_name(requirement.name) for requirement in direct_requirements()}
    conda = conda_pins()
    assert direct == set(conda) - {"python"}
    assert direct <= set(locked_pins(conda["python"]))


def test_the_versions_satisfy_what_pyproject_asks_for():
    conda = conda_pins()
    for requirement in direct_requirements():
        assert conda[canonicalize_name(requirement.name)] in requirement.specifier, requirement
    assert Version(conda["python"]) in SpecifierSet(PROJECT["requires-python"])


def test_the_lock_file_also_serves_the_oldest_python():
    oldest = re.fullmatch(r">=(3\.\d+)", PROJECT["requires-python"])[1]
    assert set(locked_pins(oldest)) >= {canonicalize_name(requirement.name) for requirement in direct_requirements()}


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_hashes(name):
    lock = (ROOT / name).read_text()
    blocks = re.split(r"^(?=[^\s#])", lock, flags=re.M)[1:]
    assert len(blocks) == len(requirements_of(lock)) >= LOCKS[name]
    for block in blocks:
        requirement, *rest = (line for line in block.splitlines() if not line.lstrip().startswith("#"))
        assert rest, requirement
        assert all(HASH.fullmatch(line) for line in rest), requirement


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_names_no_host(name):
    lock = (ROOT / name).read_text()
    assert not re.search(r"://|--(extra-)?index-url|--find-links|\b[\w-]+\.(org|com|net|io|example)\b", lock)


def test_the_plugin_for_slurm_is_locked_with_the_versions_of_the_study():
    locked = {
        canonicalize_name(one.name): one for one in requirements_of((ROOT / "requirements-slurm.lock").read_text())
    }
    (asked,) = map(Requirement, PROJECT["optional-dependencies"]["slurm"])
    (pin,) = locked[asked.name].specifier
    assert pin.version in asked.specifier
    assert f"{asked.name}={pin.version}`" in (ROOT / "docs/clusters.md").read_text()
    study = locked_pins(conda_pins()["python"])
    added = set(locked) - set(study)
    assert added == {asked.name, f"{asked.name}-jobstep"}
    assert {name: str(locked[name].specifier) for name in set(locked) - added} == {
        name: f"=={study[name]}" for name in set(locked) - added
    }


def test_what_installs_the_packages_is_pinned_too():
    """The lock file of uv alone, which is no part of the study."""
    (installer,) = requirements_of((ROOT / "requirements-install.lock").read_text())
    assert installer.name == "uv"
    assert [specifier.operator for specifier in installer.specifier] == ["=="]
    assert "uv" not in locked_pins(conda_pins()["python"])
