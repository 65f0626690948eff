"""Figures in glTF files."""

import io
import json

import numpy as np
import pytest
from PIL import Image

from ecs_anim.gltf.load import load_rig
from ecs_anim.support.errors import InputError
from ecs_anim.support.gltf_content import Content

MOVES = np.array([[[0.0, 0, 0]] * 3, [[0.0, 0.5, 0]] * 3])
FIGURES = [{"name": "a", "share": 2.0, "age": "child", "skin_tones": ["dark_skin"]}, {"name": "b", "size": 0.9}]


def png(shade):
    file = io.BytesIO()
    Image.new("RGBA", (4, 4), (shade, shade, shade, 255)).save(file, "PNG")
    return file.getvalue()


def model(path, figures=FIGURES, shades=(10, 200), variants=((0, [0]), (1, [1]))):
    """Write a triangle with two figures."""
    content = Content({"asset": {"version": "2.0", "extras": {"figures": figures}}, "scene": 0})
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    attributes = {"POSITION": content.accessor(points, bounds=True), "TEXCOORD_0": content.accessor(points[:, :2])}
    for shade in shades:
        image = content.item("images", {"bufferView": content.view(png(shade)), "mimeType": "image/png"})
        texture = content.item("textures", {"source": image})
        content.item("materials", {"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}})
    mappings = [{"material": material, "variants": own} for material, own in variants]
    primitive = {
        "attributes": attributes,
        "material": 0,
        "targets": [{"POSITION": content.accessor(own, bounds=True)} for own in MOVES],
        "extensions": {"KHR_materials_variants": {"mappings": mappings}},
    }
    content.item("meshes", {"primitives": [primitive], "weights": [1, 0]})
    content.item("nodes", {"mesh": 0})
    content.item("scenes", {"nodes": [0]})
    content.raw["extensionsUsed"] = ["KHR_materials_variants"]
    content.raw["extensions"] = {"KHR_materials_variants": {"variants": [{"name": "a"}, {"name": "b"}]}}
    path.write_bytes(content.glb())
    return path


@pytest.mark.filterwarnings("error")
def test_targets_and_variants_become_figures(tmp_path):
    rig = load_rig(model(tmp_path / "two.glb"))
    first, second = rig.figures
    assert (first.name, first.share, first.age, first.skin_tones) == ("a", 2.0, "child", ("dark_skin",))
    assert (second.name, second.size) == ("b", 0.9)
    (mesh,) = rig.meshes
    assert mesh.of_figure(1).positions[:, 1].min() == 0.5
    assert mesh.material.texture.pixels[:, 0, 0, 0].tolist() == [10, 200]
    assert len(rig.morph_targets) == 0
    assert mesh.variant_count == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"figures": FIGURES[:1]}, "one morph target for each of the 1 figures"),
        ({"figures": "two"}, "must be a list"),
        ({"figures": [{"name": "a", "size": -1}, {"name": "b"}]}, r"figures\[0\]: .*size"),
        ({"figures": [{"name": "a", "colour": 1}, {"name": "b"}]}, r"figures\[0\]: .*colour"),
        ({"figures": [3, {"name": "b"}]}, r"figures\[0\]"),
        ({"variants": ((0, [0]),)}, "each of the 2 figures must have a variant"),
    ],
)
def test_wrong_figures_are_one_line(tmp_path, change, said):
    with pytest.raises(InputError, match=said) as caught:
        load_rig(model(tmp_path / "two.glb", **change))
    assert "\n" not in str(caught.value)
    assert json.dumps(str(caught.value))
