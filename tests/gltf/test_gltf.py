"""Whole files: the real models, containers, materials and pictures."""

import base64
import io
import math
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from PIL import Image

from ecs_anim.gltf.load import load_rig
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder
from tests.characters import COMPACT, OWN, PATCHWORK
from tests.helpers import characters

FACTS = {  # of each file: joints, palette entries, meshes, triangles, clips
    "compact.glb": (13, 12, 1, 486, 2),
    "shapes.glb": (14, 12, 2, 486, 2),
    "patchwork.glb": (16, 21, 6, 492, 1),
    "Woman.gltf": (43, 41, 1, 1908, 10),
    "dq.gltf": (4, 2, 1, 2716, 3),
    "IKCourse.gltf": (1, 1, 1, 76, 0),
    "Fox.glb": (26, 24, 1, 576, 3),
    "cesium_man.gltf": (22, 19, 1, 4672, 1),
    "interpolation_test.gltf": (12, 10, 10, 110, 9),
}


@pytest.mark.parametrize(
    ("path", "joints", "palette", "meshes", "triangles", "clips"),
    [
        pytest.param(*path.values, *FACTS[path.id], id=path.id, marks=path.marks)
        for path in characters(*[*FACTS][len(OWN) :])
    ],
)
def test_characters(path, joints, palette, meshes, triangles, clips):
    rig = load_rig(path)
    assert rig.skeleton.joint_count == joints
    assert rig.skeleton.palette_count == palette
    assert len(rig.meshes) == meshes
    assert sum(mesh.triangle_count for mesh in rig.meshes) == triangles
    assert len(rig.clips) == clips
    for mesh in rig.meshes:
        assert int(mesh.indices.max()) < mesh.vertex_count
        assert int(mesh.palette_indices.max()) < palette
        np.testing.assert_allclose(mesh.weights.sum(axis=1), 1, atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-6)


def test_everything_is_read_only():
    rig = load_rig(COMPACT)
    (mesh,) = rig.meshes
    clip = rig.clips["walk"]
    pose = rig.skeleton.rest_pose
    arrays = [mesh.positions, mesh.normals, mesh.uvs, mesh.palette_indices, mesh.weights, mesh.indices]
    arrays += [rig.skeleton.parents, rig.skeleton.skin_joints, rig.skeleton.inverse_bind]
    arrays += [pose.translation, pose.rotation, pose.scale, clip.tracks[0].times, clip.tracks[0].values]
    for array in arrays:
        assert not array.flags.writeable
        assert array.flags.c_contiguous
        assert array.flags.aligned
    dtypes = [np.float32] * 3 + [np.uint16, np.float32, np.uint32, np.int32, np.int32] + [np.float32] * 6
    assert [array.dtype for array in arrays] == dtypes


def test_a_rig_can_be_sent_to_another_process():
    rig = load_rig(PATCHWORK)
    copy = pickle.loads(pickle.dumps(rig))
    np.testing.assert_array_equal(copy.meshes[0].positions, rig.meshes[0].positions)


@pytest.mark.exhaustive
def test_importing_the_loader_imports_neither_pygltflib_nor_pillow():
    code = "import sys, ecs_anim.gltf.load; print([m for m in ('pygltflib', 'PIL') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


# Containers


def box(builder):
    """A node with one triangle; enough for a rig."""
    builder.add("nodes", name="box", mesh=builder.triangle())
    return builder


@pytest.mark.parametrize("container", ["glb", "embedded", "external", "folder", "percent", "misnamed", "padded"])
def test_all_containers_give_the_same_rig(tmp_path, container):
    builder = box(GltfBuilder())
    path = tmp_path / "model.gltf"
    if container == "glb":
        path = builder.write(tmp_path / "model.glb")
    elif container == "embedded":
        builder.write(path)
    elif container == "misnamed":
        path.write_bytes(builder.binary())
    elif container == "padded":
        path.write_bytes(b"\xef\xbb\xbf" + builder.embedded() + b"\n\0\0")
    else:
        builder.write_external(path, {"external": "a.bin", "folder": "sub/a.bin", "percent": "a b.bin"}[container])
    rig = load_rig(str(path))
    np.testing.assert_array_equal(np.sort(rig.meshes[0].positions, axis=0), [[0, 0, 0], [0, 0, 0], [1, 1, 0]])
    assert rig.skeleton.joint_names == ("box",)


def test_a_data_uri_may_be_percent_encoded(tmp_path):
    builder = box(GltfBuilder())
    uri = "data:application/gltf-buffer," + "".join(f"%{byte:02x}" for byte in builder.data)
    (tmp_path / "model.gltf").write_bytes(builder.json(uri))
    assert load_rig(tmp_path / "model.gltf").meshes[0].triangle_count == 1


def test_several_buffers(tmp_path):
    builder = box(GltfBuilder())
    builder.document["bufferViews"][0]["buffer"] = 1
    half = base64.b64encode(bytes(builder.data)).decode()
    builder.document["buffers"] = [
        {"byteLength": 3, "uri": "data:;base64,AAAA"},
        {"byteLength": len(builder.data), "uri": f"data:;base64,{half}"},
    ]
    path = tmp_path / "model.gltf"
    path.write_bytes(builder.json())
    assert load_rig(path).meshes[0].triangle_count == 1


def test_a_file_with_nothing_in_it_is_an_empty_rig(tmp_path):
    rig = load_rig(GltfBuilder().write(tmp_path / "model.gltf"))
    assert (rig.skeleton.joint_count, rig.skeleton.palette_count, rig.meshes, rig.clips) == (0, 0, (), {})
    assert rig.skeleton.rest_pose.rotation.shape == (0, 4)


# Materials


def png(color=(10, 20, 30, 255), size=(2, 1), mode="RGBA"):
    stream = io.BytesIO()
    Image.new(mode, size, color).save(stream, "PNG")
    return stream.getvalue()


def load_material(tmp_path, material, builder=None, **lists):
    builder = builder or GltfBuilder()
    builder.document.update({kind: [*builder.document.get(kind, []), *items] for kind, items in lists.items()})
    mesh = builder.triangle(material=builder.add("materials", **material))
    attributes = builder.document["meshes"][mesh]["primitives"][0]["attributes"]
    attributes["TEXCOORD_0"] = builder.accessor([[0, 0]] * 3, kind="VEC2")
    builder.add("nodes", mesh=mesh)
    return load_rig(builder.write(tmp_path / "model.glb")).meshes[0].material


@pytest.mark.parametrize(
    ("material", "expected"),
    [
        ({}, ((1, 1, 1, 1), False, None)),
        ({"pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 0, 1]}}, ((0.5, 0.25, 0, 1), False, None)),
        ({"doubleSided": True, "alphaMode": "MASK"}, ((1, 1, 1, 1), True, 0.5)),
        ({"alphaMode": "MASK", "alphaCutoff": 0.25}, ((1, 1, 1, 1), False, 0.25)),
        ({"alphaMode": "OPAQUE", "alphaCutoff": 0.25}, ((1, 1, 1, 1), False, None)),
        ({"alphaMode": "BLEND"}, ((1, 1, 1, 1), False, None)),
    ],
)
def test_material(tmp_path, material, expected):
    made = load_material(tmp_path, material)
    assert (made.base_color, made.double_sided, made.alpha_cutoff) == expected
    assert made.texture is None


GLOSSINESS = "KHR_materials_pbrSpecularGlossiness"
TEXTURED = {"name": "skin", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}


@pytest.mark.parametrize("where", ["view", "data", "file"])
def test_picture(tmp_path, where):
    builder = GltfBuilder()
    if where == "view":
        image = {"bufferView": builder.view(png()), "mimeType": "image/png"}
    elif where == "data":
        image = {"uri": "data:image/png;base64," + base64.b64encode(png()).decode()}
    else:
        (tmp_path / "a picture.png").write_bytes(png())
        image = {"uri": "a%20picture.png"}
    material = load_material(tmp_path, TEXTURED, builder, textures=[{"source": 0}], images=[image])
    assert material.name == "skin"
    np.testing.assert_array_equal(material.texture.pixels, [[[10, 20, 30, 255]] * 2])
    assert material.texture.repeat


@pytest.mark.parametrize(
    ("mode", "color", "pixel"),
    [("L", 7, [7, 7, 7, 255]), ("RGB", (1, 2, 3), [1, 2, 3, 255]), ("I;16", 0x1234, [0x12, 0x12, 0x12, 255])],
)
def test_pictures_become_rgba(tmp_path, mode, color, pixel):
    image = {"uri": "data:image/png;base64," + base64.b64encode(png(color, mode=mode)).decode()}
    material = load_material(tmp_path, TEXTURED, textures=[{"source": 0}], images=[image])
    np.testing.assert_array_equal(material.texture.pixels[0, 0], pixel)


def test_row_0_of_a_picture_is_its_top(tmp_path):
    stream = io.BytesIO()
    Image.fromarray(np.uint8([[[1, 0, 0]], [[2, 0, 0]]])).save(stream, "PNG")
    builder = GltfBuilder()
    image = {"bufferView": builder.view(stream.getvalue())}
    material = load_material(tmp_path, TEXTURED, builder, textures=[{"source": 0}], images=[image])
    assert material.texture.pixels[:, 0, 0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("sampler", "repeat"),
    [({}, True), ({"wrapS": 10497}, True), ({"wrapS": 33071, "wrapT": 33071}, False), ({"wrapS": 33648}, True)],
)
def test_wrap_modes(tmp_path, sampler, repeat):
    builder = GltfBuilder()
    images = [{"bufferView": builder.view(png())}]
    textures = [{"source": 0, "sampler": 0}]
    material = load_material(tmp_path, TEXTURED, builder, textures=textures, images=images, samplers=[sampler])
    assert material.texture.repeat is repeat


@pytest.mark.parametrize(("mode", "blended"), [("OPAQUE", False), ("MASK", False), ("BLEND", True)])
def test_blending_is_told_apart_from_masks(tmp_path, mode, blended):
    material = load_material(tmp_path, {"alphaMode": mode})
    assert (material.blended, material.alpha_cutoff) == (blended, 0.5 if mode == "MASK" else None)


STRENGTH = "KHR_materials_emissive_strength"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, (0, 0, 0)),
        ({"emissiveFactor": [1, 0.5, 0.25]}, (1, 0.5, 0.25)),
        ({"emissiveFactor": [1, 0.5, 0], "extensions": {STRENGTH: {"emissiveStrength": 4}}}, (4, 2, 0)),
        ({"emissiveFactor": [1, 0.5, 0], "extensions": {STRENGTH: {}}}, (1, 0.5, 0)),
    ],
)
def test_emission(tmp_path, fields, expected):
    material = load_material(tmp_path, fields)
    assert (material.emissive, material.emissive_texture) == (expected, None)


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"emissiveFactor": [1, 1]}, r"materials\[0\]\.emissiveFactor: the value must be a list of 3 finite numbers"),
        (
            {"extensions": {STRENGTH: {"emissiveStrength": "x"}}},
            r"emissiveStrength: the value must be a list of 1 finite number",
        ),
    ],
)
def test_emission_that_is_none(tmp_path, fields, rule):
    with pytest.raises(InputError, match=rule):
        load_material(tmp_path, fields)


def glowing(tmp_path, base, glow, factor=(1, 1, 1)):
    builder = GltfBuilder()
    images = [{"bufferView": builder.view(png((k, 0, 0, 255)))} for k in (1, 2)]
    material = {"emissiveFactor": list(factor), "emissiveTexture": {"index": 1, **glow}}
    if base is not None:
        material["pbrMetallicRoughness"] = {"baseColorTexture": {"index": 0, **base}}
    return load_material(tmp_path, material, builder, textures=[{"source": 0}, {"source": 1}], images=images)


@pytest.mark.parametrize("base", [None, {}])
def test_a_picture_of_emission_lies_where_the_base_colours_does(tmp_path, base):
    material = glowing(tmp_path, base, {})
    assert material.emissive_texture.pixels[0, 0, 0] == 2
    assert material.has_pictures


def test_a_picture_of_emission_that_lies_elsewhere_is_left_out(tmp_path):
    with pytest.warns(
        UserWarning, match="must have the texture coordinates of the base colour's texture. The surface emits no light"
    ):
        material = glowing(tmp_path, {}, {"texCoord": 1})
    assert not material.is_emissive


def test_a_picture_of_emission_is_not_read_where_nothing_is_emitted(tmp_path):
    assert glowing(tmp_path, {}, {}, (0, 0, 0)).emissive_texture is None


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"index": 0}, [[0, 0], [1, 0], [0, 1]]),
        ({"index": 0, "texCoord": 1}, [[5, 5], [6, 5], [5, 6]]),
        ({"index": 0, "extensions": {"KHR_texture_transform": {"texCoord": 1}}}, [[5, 5], [6, 5], [5, 6]]),
        (
            {"index": 0, "extensions": {"KHR_texture_transform": {"offset": [0.5, 1], "scale": [2, 3]}}},
            [[0.5, 1], [2.5, 1], [0.5, 4]],
        ),
        (
            {"index": 0, "extensions": {"KHR_texture_transform": {"rotation": math.pi / 2, "scale": [2, 3]}}},
            [[0, 0], [0, -2], [3, 0]],
        ),
        (  # the specification's own example: the lower left quarter, turned by a quarter
            {
                "index": 0,
                "extensions": {
                    "KHR_texture_transform": {"offset": [0, 1], "rotation": math.pi / 2, "scale": [0.5, 0.5]}
                },
            },
            [[0, 1], [0, 0.5], [0.5, 1]],
        ),
    ],
)
@pytest.mark.parametrize("glossy", [False, True])
def test_texture_coordinates(tmp_path, info, expected, glossy):
    builder = GltfBuilder()
    first = builder.accessor([[0, 0], [1, 0], [0, 1]], kind="VEC2")
    second = builder.accessor([[5, 5], [6, 5], [5, 6]], kind="VEC2")
    positions = builder.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], kind="VEC3")
    builder.document.update(images=[{"bufferView": builder.view(png())}], textures=[{"source": 0}])
    material = {"pbrMetallicRoughness": {"baseColorTexture": info}}
    builder.document.update(materials=[{"extensions": {GLOSSINESS: {"diffuseTexture": info}}} if glossy else material])
    attributes = {"POSITION": positions, "TEXCOORD_0": first, "TEXCOORD_1": second}
    builder.add("nodes", mesh=builder.mesh(attributes, material=0))
    mesh = load_rig(builder.write(tmp_path / "model.glb")).meshes[0]
    found = {tuple(p): uv for p, uv in zip(mesh.positions.tolist(), mesh.uvs, strict=True)}
    order = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    np.testing.assert_allclose([found[point] for point in order], expected, atol=1e-6)


def test_a_texture_without_its_coordinates_is_told(tmp_path):
    builder = GltfBuilder(materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "texCoord": 7}}}])
    builder.document.update(images=[{"bufferView": builder.view(png())}], textures=[{"source": 0}])
    builder.add("nodes", mesh=builder.triangle(material=0))
    with pytest.warns(
        UserWarning, match=r"primitives\[0\].attributes.TEXCOORD_7: the attribute is missing, so each texture"
    ):
        load_rig(builder.write(tmp_path / "model.glb"))


def test_a_texture_without_a_picture_is_told(tmp_path):
    basis = {"extensions": {"ACME_texture_glow": {"source": 0}}}
    with pytest.warns(UserWarning, match=r"textures\[0\]: the texture has no picture in a supported format"):
        assert load_material(tmp_path, TEXTURED, textures=[basis]).texture is None


def test_a_glossy_material_shows_what_it_diffuses(tmp_path):
    """Its own texture and factor, also where there is a metallic one to fall back to."""
    builder = GltfBuilder()
    images = [{"bufferView": builder.view(png(color))} for color in ((9, 9, 9, 255), (1, 2, 3, 255))]
    glossy = {"diffuseFactor": [0.5, 0.25, 1, 0.75], "diffuseTexture": {"index": 1}, "glossinessFactor": "any"}
    material = {**TEXTURED, "extensions": {GLOSSINESS: glossy}}
    textures = [{"source": 0}, {"source": 1}]
    made = load_material(tmp_path, material, builder, textures=textures, images=images)
    assert made.base_color == (0.5, 0.25, 1, 0.75)
    assert made.texture.pixels[0, 0].tolist() == [1, 2, 3, 255]
    plain = load_material(tmp_path, {**TEXTURED, "extensions": {GLOSSINESS: {}}}, textures=textures, images=images)
    assert (plain.base_color, plain.texture) == ((1, 1, 1, 1), None)


@pytest.mark.parametrize(
    ("glossy", "message"),
    [
        (
            {"diffuseFactor": [1, 1, 1]},
            r"materials\[0\].extensions.{}.diffuseFactor: the value must be a list of 4 finite numbers",
        ),
        ({"diffuseTexture": {}}, r"extensions.{}.diffuseTexture.index: is missing"),
        ({"diffuseTexture": 3}, r"extensions.{}.diffuseTexture: the value must be a JSON object \(got 3\)"),
        (
            {"diffuseTexture": {"index": 4}},
            r"extensions.{}.diffuseTexture.index: the value must be the index of one of the file's 0 textures",
        ),
    ],
)
def test_faults_of_glossy_materials(tmp_path, glossy, message):
    with pytest.raises(InputError, match=message.format(GLOSSINESS)):
        load_material(tmp_path, {"extensions": {GLOSSINESS: glossy}})


@pytest.mark.parametrize("factor", [[1, 1, 1], [1, 1, 1, 2**31], [1, 1, 1, "1"]])
def test_faults_of_base_colors(tmp_path, factor):
    with pytest.raises(InputError, match=r"materials\[0\].*baseColorFactor"):
        load_material(tmp_path, {"pbrMetallicRoughness": {"baseColorFactor": factor}})


def test_unlit_materials(tmp_path):
    assert load_material(tmp_path, {"extensions": {"KHR_materials_unlit": {}}}).unlit
    assert not load_material(tmp_path, {"extensions": {"KHR_materials_sheen": {}}}).unlit


def test_a_texture_that_is_moved_out_of_all_numbers_is_refused(tmp_path):
    builder = GltfBuilder()
    info = {"index": 0, "extensions": {"KHR_texture_transform": {"scale": [9e8, 1]}}}
    builder.document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": info}}]
    builder.document.update(images=[{"bufferView": builder.view(png())}], textures=[{"source": 0}])
    mesh = builder.triangle(material=0)
    uvs = builder.accessor([[0, 0], [1e31, 0], [0, 0]], kind="VEC2")
    builder.document["meshes"][mesh]["primitives"][0]["attributes"]["TEXCOORD_0"] = uvs
    builder.add("nodes", mesh=mesh)
    with pytest.raises(
        InputError, match="TEXCOORD_0: all numbers must be finite .after the texture transform, vertex 1"
    ):
        load_rig(builder.write(tmp_path / "model.glb"))


def test_meshes_share_the_material_object(tmp_path):
    builder = GltfBuilder()
    builder.document.update(materials=[{"name": "skin"}])
    for _ in range(2):
        builder.add("nodes", mesh=builder.triangle(material=0))
    one, two = load_rig(builder.write(tmp_path / "model.glb")).meshes
    assert one.material is two.material


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (
            {"uri": "data:image/png;base64,AAAA"},
            r"images\[0\]: the file must be a [A-Z0-9a-z, ]+ picture without damage",
        ),
        ({}, r"images\[0\]: the image has no uri and no bufferView"),
        ({"bufferView": 5}, r"images\[0\].bufferView: the value must be the index of one of the file's"),
        ({"uri": "../secret.png"}, r"images\[0\].uri: the path of a file must not contain `..`"),
        ({"uri": "https://example.org/a.png"}, r"images\[0\].uri: the URI must be a relative path"),
    ],
)
def test_bad_pictures(tmp_path, image, message):
    (tmp_path.parent / "secret.png").write_bytes(png())
    with pytest.raises(InputError, match=message):
        load_material(tmp_path, TEXTURED, textures=[{"source": 0}], images=[image])


def test_a_picture_that_claims_to_be_huge_is_refused(tmp_path):
    data = bytearray(png())
    data[16:24] = (60000).to_bytes(4, "big") * 2
    builder = GltfBuilder()
    image = {"bufferView": builder.view(bytes(data))}
    with pytest.raises(InputError, match=r"images\[0\]"):
        load_material(tmp_path, TEXTURED, builder, textures=[{"source": 0}], images=[image])


def test_pictures_have_a_largest_size(tmp_path, monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_PICTURE_PIXELS", "1")
    builder = GltfBuilder()
    image = {"bufferView": builder.view(png())}
    with pytest.raises(InputError, match=r"images\[0\]: the picture is too large, 2 x 1: 2 pixels .* the limit is 1\."):
        load_material(tmp_path, TEXTURED, builder, textures=[{"source": 0}], images=[image])


def test_valid_files_load_without_warnings(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_rig(box(GltfBuilder()).write(tmp_path / "model.glb"))
        for path in OWN:
            load_rig(path)
