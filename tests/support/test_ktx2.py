"""KTX2 pictures: what Basis Universal's encoder wrote, what was written by hand, and what is damaged."""

import io
import json
import struct

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.rigs import load_rigs
from ecs_anim.support import ktx2
from ecs_anim.support.errors import InputError
from ecs_anim.support.images import counted_together, decode_image
from tests.builders.gltf_builder import GltfBuilder
from tests.builders.ktx2_files import ENCODED_ETC1S, ENCODED_UASTC, ETC1S, PICTURE, container, solid_blocks, uastc
from tests.gltf.test_lent_clips import parts

RNG = np.random.default_rng(7)
COLORS = RNG.integers(0, 256, (3, 5, 4)).astype(np.uint8)
NAME = "KHR_texture_basisu"


@pytest.fixture
def transcoder():
    pytest.importorskip("opengl_basisu", reason="needs the ktx2 extra")


@pytest.mark.parametrize(("data", "farthest", "mean"), [(ENCODED_UASTC, 3, 1.1), (ENCODED_ETC1S, 43, 16.5)])
def test_what_the_encoder_wrote_is_its_picture(transcoder, data, farthest, mean):
    """As near as that encoder comes: UASTC spends 8 bits on a pixel, ETC1S hardly one."""
    apart = np.abs(decode_image(data).astype(int) - PICTURE)
    assert apart.max() <= farthest
    assert apart.mean(axis=(0, 1)).max() <= mean


@pytest.mark.parametrize("packed", [False, True])
def test_blocks_of_one_colour_are_exact(transcoder, packed):
    found = decode_image(uastc(COLORS, packed=packed))
    np.testing.assert_array_equal(found, COLORS.repeat(4, axis=0).repeat(4, axis=1))
    assert not found.flags.writeable


def test_a_picture_need_not_end_with_a_block(transcoder):
    found = decode_image(container(17, 9, solid_blocks(COLORS)))
    np.testing.assert_array_equal(found, COLORS.repeat(4, axis=0).repeat(4, axis=1)[:9, :17])


@pytest.mark.parametrize(("vulkan", "channels"), [(23, 3), (29, 3), (37, 4), (43, 4)])
def test_plain_pixels_need_no_library(monkeypatch, vulkan, channels):
    monkeypatch.setattr(ktx2, "_library", lambda: pytest.fail("asked"))
    found = decode_image(container(16, 16, PICTURE[..., :channels].tobytes(), vulkan=vulkan, model=1))
    np.testing.assert_array_equal(found[..., :channels], PICTURE[..., :channels])
    assert channels == 4 or (found[..., 3] == 255).all()


BLOCK = solid_blocks(COLORS[:1, :1])


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (container(4, 4, BLOCK)[:90], "is cut short"),
        (container(4, 4, BLOCK)[:-1], "is cut short, or has wrong offsets"),
        (container(0, 4, BLOCK), "must be a flat picture (got 0 x 4"),
        (container(4, 4, BLOCK, depth=4), "must be a flat picture (got 4 x 4 x 4"),
        (container(4, 4, BLOCK * 6, faces=6), "6 faces"),
        (container(4, 4, BLOCK, levels=4), "has 4 mipmap levels, which is too many for 4 x 4 pixels"),
        (container(4, 4, BLOCK, levels=2**32 - 1), "has 4294967295 mipmap levels"),
        (container(8, 4, BLOCK), "must have 32 bytes for 8 x 4 pixels (got 16"),
        (container(4, 4, BLOCK, scheme=2, unpacked=2**63), "must have 16 bytes for 4 x 4 pixels"),
        (container(4, 4, BLOCK, vulkan=145, model=134), "vkFormat 145, colour model 134, supercompression 0"),
        (container(4, 4, BLOCK, scheme=3), "supercompression 3). Use `gltf-transform ktxdecompress IN OUT`"),
        (container(4, 4, BLOCK, vulkan=37, model=1), "must have 64 bytes for 4 x 4 pixels (got 16"),
        (container(2**16, 2**16, BLOCK, model=ETC1S, scheme=1), "is too large, 65536 x 65536"),
        (container(4, 4, BLOCK, model=ETC1S, scheme=1), "is damaged (BasisuError)"),
        (container(4, 4, b"rubbish", scheme=2, unpacked=16), "is damaged (BasisuError)"),
    ],
)
def test_headers_that_lie_are_told(transcoder, data, rule):
    with pytest.raises(ValueError, match="KTX2|too large") as told:
        decode_image(data)
    assert rule in str(told.value)


@pytest.mark.parametrize("data", [ENCODED_UASTC, ENCODED_ETC1S, uastc(COLORS), uastc(COLORS, packed=True)])
def test_damage_is_one_line_or_a_picture(transcoder, data):
    """Bits flipped, bytes replaced, ends cut off; a picture may be another, but never larger than limits allow."""
    rng, told = np.random.default_rng(11), []
    for case in range(400):
        broken = bytearray(data[: int(rng.integers(13, len(data)))] if case % 4 == 0 else data)
        for place in rng.integers(12, len(broken), 1 + case % 3):
            broken[place] = int(rng.integers(256)) if case % 2 else broken[place] ^ 1 << int(rng.integers(8))
        try:
            assert decode_image(bytes(broken)).size <= 1 << 20
        except ValueError as error:
            told.append(str(error))
    assert len(told) > 100
    assert not any("\n" in line for line in told)


def test_it_counts_as_other_pictures_do(transcoder, monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_PICTURES_PIXELS", "300")
    with counted_together():
        decode_image(uastc(COLORS))
        with pytest.raises(ValueError, match="with this picture of 20 x 12"):
            decode_image(uastc(COLORS))


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def model(path, data, *, plain=None, required=True):
    """A triangle with a KTX2 texture, and perhaps the same as a PNG beside it."""
    extensions = {"extensionsUsed": [NAME], **({"extensionsRequired": [NAME]} if required else {})}
    builder = GltfBuilder(**extensions)
    images = [builder.add("images", bufferView=builder.view(own)) for own in (data, plain) if own is not None]
    builder.add("textures", extensions={NAME: {"source": images[0]}}, **({"source": images[1]} if plain else {}))
    builder.add("materials", pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    positions = builder.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], kind="VEC3")
    uvs = builder.accessor([[0, 0], [1, 0], [0, 1]], kind="VEC2")
    builder.add("nodes", mesh=builder.mesh({"POSITION": positions, "TEXCOORD_0": uvs}, material=0))
    return builder.write(path)


def texture(path):
    (mesh,) = ea.load_rig(path).meshes
    return mesh.material.texture.pixels


def test_a_character_wears_it(transcoder, tmp_path):
    found = texture(model(tmp_path / "x.glb", uastc(COLORS)))
    np.testing.assert_array_equal(found, COLORS.repeat(4, axis=0).repeat(4, axis=1))


def test_a_plain_picture_beside_it_is_read_instead(tmp_path, monkeypatch):
    """Installations with and without the extra give the same picture."""
    monkeypatch.setattr(ktx2, "_library", lambda: pytest.fail("asked"))
    path = model(tmp_path / "x.glb", ENCODED_UASTC, plain=png(PICTURE), required=False)
    np.testing.assert_array_equal(texture(path), PICTURE)


def test_without_the_library_a_line_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(ktx2, "_library", lambda: None)
    with pytest.raises(
        InputError, match=r"images\[0\]: the picture is KTX2, .* pip install 'ecs-anim\[ktx2\]'"
    ) as told:
        texture(model(tmp_path / "x.glb", uastc(COLORS)))
    assert "gltf-transform ktxdecompress" in str(told.value)


def test_places_beyond_the_file_are_told(tmp_path):
    data = bytearray(uastc(COLORS))
    struct.pack_into("<Q", data, 80, 2**64 - 1)
    with pytest.raises(InputError, match=r"x.glb: images\[0\]: the KTX2 picture is cut short, or has wrong offsets"):
        texture(model(tmp_path / "x.glb", bytes(data)))


def test_lent_clips_take_it_in(tmp_path):
    """A picture in a file of its own becomes a part of the file, with its own type."""
    path = model(tmp_path / "x.gltf", uastc(COLORS))
    raw = json.loads(path.read_text())
    raw["images"] = [{"uri": "x.ktx2"}]
    path.write_text(json.dumps(raw))
    (tmp_path / "x.ktx2").write_bytes(uastc(COLORS))
    found, data = parts(with_clips(path, []))
    (image,) = found["images"]
    view = found["bufferViews"][image["bufferView"]]
    assert image["mimeType"] == "image/ktx2"
    assert bytes(data[view["byteOffset"] :][: view["byteLength"]]) == uastc(COLORS)


def test_a_scene_may_name_one(transcoder, tmp_path):
    (tmp_path / "x.ktx2").write_bytes(uastc(COLORS))
    text = '[rigs.a]\nmodel = "mannequin"\ntexture = "x.ktx2"\n[[crowds]]\nrig = "a"\nclips = [{ name = "walk" }]\n'
    rig = load_rigs(parse_scene(text, "x.toml", tmp_path))["a"].rig
    np.testing.assert_array_equal(rig.meshes[0].material.texture.pixels, decode_image(uastc(COLORS)))
