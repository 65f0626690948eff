"""The built site and the generators of its pages, for tests of the site."""

import subprocess
import sys

import pytest

from tests.project.documents import ROOT

DOCS = ROOT / "docs"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Build the site without a warning. Return its folder."""
    pytest.importorskip("sphinx", reason="the docs extra is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--nitpicky", "--quiet", DOCS, folder / "site"]
    done = subprocess.run([*command, "--doctree-dir", folder / "trees"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "site"


@pytest.fixture(scope="session")
def generators():
    """Make the modules in `docs` importable. Return the package of the generators."""
    sys.path.insert(0, str(DOCS))
    import pages_from_code

    yield pages_from_code
    sys.path.remove(str(DOCS))


@pytest.fixture(scope="session")
def writers(generators):
    return generators.WRITERS
