"""Extensions that are not read: refused with what helps where they are required, else named once."""

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

from ecs_anim.commands.command_line import cli
from ecs_anim.gltf.extensions import READ
from ecs_anim.gltf.load import load_rig
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder


def write(tmp_path, **lists):
    builder = GltfBuilder(**lists)
    builder.add("nodes", mesh=builder.triangle())
    return builder.write(tmp_path / "model.glb")


def test_what_is_read_is_not_told(tmp_path):
    path = write(tmp_path, extensionsUsed=sorted(READ), extensionsRequired=sorted(READ))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_rig(path).ignored_extensions == ()


def test_what_is_not_read_is_named_once(tmp_path):
    """In one line, whether or not it is required; also by `inspect`."""
    used = ["KHR_materials_sheen", "KHR_materials_unlit", "KHR_materials_sheen", "ACME_glow"]
    path = write(tmp_path, extensionsUsed=used, extensionsRequired=["KHR_materials_sheen"])
    with pytest.warns(UserWarning, match="extensionsUsed") as told:
        rig = load_rig(path)
    text = f"{path}: extensionsUsed: KHR_materials_sheen, ACME_glow are not supported; the model is drawn without"
    text += " the features of the extensions"
    assert [str(warning.message) for warning in told] == [text]
    assert rig.ignored_extensions == ("KHR_materials_sheen", "ACME_glow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = CliRunner().invoke(cli, ["inspect", str(path), "--json"]).output
    read = {"KHR_materials_sheen": False, "KHR_materials_unlit": True, "ACME_glow": False}
    assert {own["name"]: own["read"] for own in json.loads(shown)["extensions"]} == read


def test_a_long_list_stays_one_line(tmp_path):
    path = write(tmp_path, extensionsUsed=["two\nlines", *(f"ACME_{k}" for k in range(5000))])
    with pytest.warns(UserWarning, match="extensionsUsed") as told:
        rig = load_rig(path)
    text = str(told[0].message)
    assert len(rig.ignored_extensions) == 5001
    assert "\n" not in text
    assert text.endswith(
        "ACME_6 and 4993 more are not supported; the model is drawn without the features of the extensions"
    )


def test_what_is_required_and_not_read_is_refused_with_a_way_out(tmp_path):
    names = ["EXT_else", "ACME_glow"]
    with pytest.raises(InputError) as told:
        load_rig(write(tmp_path, extensionsUsed=names, extensionsRequired=names))
    assert str(told.value).endswith(
        ": ecs-anim does not support ACME_glow, EXT_else, which the model requires. Export the"
        " model without these extensions."
    )


def test_a_file_of_nothing_but_points_of_triangles_says_so(tmp_path):
    """As one is whose positions somebody quantised twice."""
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.mesh({"POSITION": builder.accessor(np.ones((3, 3)), kind="VEC3")}))
    path = builder.write(tmp_path / "model.glb")
    with pytest.warns(UserWarning, match="area of each triangle is 0") as told:
        assert load_rig(path).meshes == ()
    text = "meshes: the area of each triangle is 0, so no mesh is drawn"
    assert [str(warning.message) for warning in told] == [f"{path}: {text}"]
