#!/bin/sh
# Make .venv, install the pinned packages of requirements.lock into it, and link the library. `make` calls this.
#
#   [PYTHON=/path/to/python] sh workflow/install.sh        from the repository root
#
# Needs Python 3.11 or newer and nothing else. Debian and Ubuntu ship python3 without pip and without
# ensurepip, so that `python3 -m venv` fails there; this script then fetches a pip wheel itself, as a normal
# user and without changing the system. Running it again repairs an interrupted installation.
set -eu

fail() { printf '%s\n' "$@" >&2; exit 1; }
version_of() { "$1" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null; }
is_recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }
has_pip() { is_recent .venv/bin/python && pip --version >/dev/null 2>&1; }

case $PWD in *[[:space:]]*) fail \
    "Error: expected a folder whose path has no blank, found $PWD." \
    "Snakemake cannot start scripts there. Move this folder and run make again." ;;
esac

# 1. A Python: the one named by PYTHON, else the first recent one.
python='' seen=''
if [ -n "${PYTHON:-}" ]; then set -- "$PYTHON"; else set -- python3.13 python3.12 python3.11 python3; fi
for candidate in "$@"; do
    if is_recent "$candidate"; then python=$candidate; break; fi
    if version=$(version_of "$candidate"); then seen="${seen:+$seen, }$candidate $version"; fi
done
[ -n "$python" ] || fail \
    "Error: expected Python 3.11 or newer, found ${seen:-none (looked for ${PYTHON:-python3.13, python3.12, python3.11, python3})}." \
    "Install a newer Python and run make again, or name one: make PYTHON=/path/to/python3.11"
version=$(version_of "$python")

# 2. An environment with pip. The file `incomplete` is in it until the installation is complete;
#    an environment found with that file, or without a working pip, is deleted and made again.
make_venv() {
    rm -rf .venv && mkdir .venv && : >.venv/incomplete &&
        "$python" -m venv "$@" .venv >/dev/null 2>&1
}

pip_from_system_pip() {
    "$python" -m pip --python .venv/bin/python install --quiet pip >/dev/null 2>&1 && has_pip
}

pip_from_apt() {  # the wheel of Debian's own pip; apt checks its signature
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
    scratch=$(mktemp -d) || return 1
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT TERM
    (
        cd "$scratch" || exit 1
        apt="apt-get -qq -o APT::Sandbox::User=root"
        # A machine whose package lists were never fetched gets lists of its own in the scratch folder.
        private="-o Dir::State=$scratch/state -o Dir::Cache=$scratch/cache"
        mkdir -p state/lists/partial cache/archives/partial
        $apt download python3-pip-whl || { $apt $private update && $apt $private download python3-pip-whl; }
        dpkg-deb -x python3-pip-whl_*.deb .
    ) >/dev/null 2>&1 || return 1
    wheel=$(echo "$scratch"/usr/share/python-wheels/pip-*.whl)
    .venv/bin/python "$wheel/pip" install --quiet --no-index --disable-pip-version-check "$wheel" && has_pip
}

if [ -e .venv/incomplete ] || ! has_pip; then
    echo "Making .venv with Python $version ($(command -v "$python"))"
    if ! { make_venv && has_pip; }; then
        echo "This Python comes without pip; fetching pip for .venv alone"
        { make_venv --without-pip && { pip_from_system_pip || pip_from_apt; }; } || {
            rm -rf .venv
            fail "Error: expected a Python that can make virtual environments, found one without pip and ensurepip," \
                "and pip could not be fetched either. Install it and run make again:" \
                "    sudo apt-get install python${version%.*}-venv"
        }
    fi
fi

# 3. The packages: by uv, which needs a tenth of pip's time, or else by pip. uv may fail where pip does not: it does not
#    read pip's configuration, and not every machine has a uv.
: >.venv/incomplete
echo "Installing the pinned packages of requirements.lock into .venv ..."
install_by_uv() {
    pip install --no-user --require-hashes -r requirements-install.lock &&
        .venv/bin/uv pip install --python .venv/bin/python --require-hashes -r requirements.lock
}
install_by_uv >.venv/install_by_uv.log 2>&1 || {
    echo "uv could not (.venv/install_by_uv.log says why); pip installs them, which takes about a minute ..."
    pip install -qq --no-user --no-compile --require-hashes -r requirements.lock || fail \
        "Error: the packages could not be installed; see the reason above. Run make again to start over."
}
# Compiled on all cores; without the tests of the packages, a third of all. What a package ships for older Pythons does
# not compile.
.venv/bin/python -m compileall -q -j 0 -x '/tests/' .venv/lib >/dev/null 2>&1 || true
rm .venv/incomplete

# 4. The library, so that .venv/bin/python imports it from any folder. A .pth file with the folder of the library,
#    relative to itself, does what `pip install --no-deps -e .` would do. But it needs no setuptools, which new Pythons
#    do not bring, and no network, and it stays right if the checkout is moved.
.venv/bin/python -c '
import os, pathlib, sysconfig
packages = sysconfig.get_path("purelib")
pathlib.Path(packages, "consensus_embedding.pth").write_text("".join(os.path.relpath(folder, packages) + "\n" for folder in ("src", "workflow")))'

# 5. The inner loops of the library.
echo "Compiling the inner loops of the library (about a minute) ..."
.venv/bin/python workflow/compile_kernels.py >.venv/compile_kernels.log 2>&1 ||
    echo "Not all could be compiled now (.venv/compile_kernels.log says why); the first study will compile them." >&2
touch .venv/installed
echo "Installed. The environment is .venv; to remove it: rm -rf .venv"
