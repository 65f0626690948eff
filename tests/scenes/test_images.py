"""Pictures that people bring: measured before they are decoded, alone and together."""

import io
import zlib
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from ecs_anim.gltf import materials as gltf_materials
from ecs_anim.gltf.load import load_rig
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.images import read_picture, read_texture
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support import images
from ecs_anim.support.errors import InputError
from ecs_anim.support.images import counted_together, decode_grey, decode_image, picture_size
from tests.builders.gltf_builder import GltfBuilder

TOGETHER = "ECS_ANIM_LIMIT_PICTURES_PIXELS"


def encoded(width, height, kind="PNG", seed=0):
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3)).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind)
    return file.getvalue()


def claiming(width, height):
    """A PNG whose header says so."""
    data = bytearray(encoded(2, 2))
    data[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    return bytes(data)


@pytest.fixture
def undecoded(monkeypatch):
    """Nothing may be decoded."""
    monkeypatch.setattr(images, "_rgba", lambda _: pytest.fail("decoded"))
    monkeypatch.setattr(images, "_grey", lambda _: pytest.fail("decoded"))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_the_size_is_known_without_decoding(undecoded, kind):
    assert picture_size(encoded(7, 3, kind)) == (7, 3)
    with pytest.raises(ValueError, match="the file must be a [A-Z0-9a-z, ]+ picture without damage"):
        picture_size(encoded(7, 3, kind)[:8])


@pytest.mark.parametrize("read", [decode_image, decode_grey, picture_size])
def test_one_that_is_too_large_is_told_before_it_is_decoded(undecoded, read):
    with pytest.raises(ValueError, match=r"is too large, 8192 x 8193: .* raise ECS_ANIM_LIMIT_PICTURE_PIXELS"):
        read(claiming(8192, 8193))
    with pytest.raises(ValueError, match="has more pixels than the library Pillow decodes"):
        read(claiming(60000, 60000))


# Where the visual picture has its stored pixels, by the table of orientations in CIPA DC-008 (Exif), 4.6.5.
UPRIGHT = {
    1: lambda stored: stored,
    2: lambda stored: stored[:, ::-1],
    3: lambda stored: stored[::-1, ::-1],
    4: lambda stored: stored[::-1],
    5: lambda stored: stored.swapaxes(0, 1),
    6: lambda stored: stored[::-1].swapaxes(0, 1),
    7: lambda stored: stored[::-1, ::-1].swapaxes(0, 1),
    8: lambda stored: stored[:, ::-1].swapaxes(0, 1),
}


def turned(orientation, kind="PNG"):
    """A picture of 3 x 2 pixels whose EXIF block tells an orientation, and its stored pixels."""
    stored = np.arange(18, dtype=np.uint8).reshape(2, 3, 3) * 14
    file, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = orientation
    options = {"lossless": True, "exact": True} if kind == "WEBP" else {}
    Image.fromarray(stored).save(file, kind, exif=exif, **options)
    return file.getvalue(), stored


@pytest.mark.parametrize("orientation", UPRIGHT)
@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_pictures_are_upright_and_textures_as_they_are_stored(tmp_path, kind, orientation):
    data, stored = turned(orientation, kind)
    upright = UPRIGHT[orientation](stored)
    assert np.array_equal(decode_image(data, upright=True)[..., :3], upright)
    assert np.array_equal(decode_image(data)[..., :3], stored)
    grey = np.asarray(Image.fromarray(np.ascontiguousarray(upright)).convert("L")) / 255
    assert np.array_equal(decode_grey(data), grey)
    (tmp_path / "x").write_bytes(data)
    assert np.array_equal(read_picture(tmp_path / "x", "picture")[..., :3], upright)
    assert np.array_equal(read_texture(tmp_path / "x", "texture")[..., :3], stored)
    texture = load_rig(textured([data], tmp_path / "model.glb")).meshes[0].material.texture
    assert np.array_equal(texture.pixels[..., :3], stored)


def test_a_photograph_of_a_camera_that_was_held_upright_is_upright():
    assert decode_image(turned(6, "JPEG")[0], upright=True).shape == (3, 2, 4)


@pytest.mark.parametrize("orientation", [0, 9, 65535])
def test_an_unknown_orientation_turns_nothing(orientation):
    data, stored = turned(orientation)
    assert np.array_equal(decode_image(data, upright=True)[..., :3], stored)


@pytest.mark.parametrize("at", range(0, 40, 3))
def test_a_damaged_exif_block_is_no_traceback(at):
    data = bytearray(turned(6, "WEBP")[0])
    start = data.index(b"EXIF") + 8
    data[start + at % (len(data) - start)] ^= 0xFF
    with suppress(ValueError):
        assert decode_image(bytes(data), upright=True).shape[2] == 4


def test_the_environment_raises_the_limit(monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_PICTURE_PIXELS", "20")
    with pytest.raises(ValueError, match=r"is too large, 7 x 3: 21 pixels in a picture, but the limit is 20"):
        decode_image(encoded(7, 3))
    monkeypatch.setenv("ECS_ANIM_LIMIT_PICTURE_PIXELS", "21")
    assert decode_image(encoded(7, 3)).shape == (3, 7, 4)
    monkeypatch.setenv("ECS_ANIM_LIMIT_PICTURE_PIXELS", "lots")
    with pytest.raises(InputError, match="ECS_ANIM_LIMIT_PICTURE_PIXELS: the value must be a positive integer"):
        decode_image(encoded(7, 3))


def test_pictures_of_one_block_are_counted_together(monkeypatch):
    monkeypatch.setenv(TOGETHER, "50")
    decoded, data = [], encoded(5, 5)
    monkeypatch.setattr(images, "_rgba", decoded.append)
    for _ in range(3):
        decode_image(data)  # alone
    for _ in range(2):
        decoded.clear()
        with counted_together():
            decode_image(data)
            with counted_together():  # a model within a scene
                decode_image(data)
            with pytest.raises(
                ValueError,
                match=r"with this picture of 5 x 5 pixels, .* too large: 75 pixels .*, but the limit is 50",
            ):
                decode_image(data)
        assert len(decoded) == 2


def textured(pictures, path):
    """A model of a triangle for each picture, which are (key, value) of a glTF image."""
    builder = GltfBuilder()
    for number, picture in enumerate(pictures):
        builder.add("images", **(picture if isinstance(picture, dict) else {"bufferView": builder.view(picture)}))
        builder.add("textures", source=number)
        builder.add("materials", pbrMetallicRoughness={"baseColorTexture": {"index": number}})
        builder.add("nodes", mesh=builder.triangle(material=number))
    for primitive in (mesh["primitives"][0] for mesh in builder.document["meshes"]):
        primitive["attributes"]["TEXCOORD_0"] = builder.accessor([[0, 0], [1, 0], [0, 1]], kind="VEC2")
    return builder.write(path)


def test_pictures_of_the_same_bytes_are_decoded_once(tmp_path, monkeypatch):
    """As many images as there are may name one buffer view, or one file."""
    calls = []
    monkeypatch.setattr(gltf_materials, "decode_image", lambda data: calls.append(data) or decode_image(data))
    (tmp_path / "b.png").write_bytes(encoded(6, 6))
    model = textured([encoded(5, 5), *[{"bufferView": 0}] * 11, *[{"uri": "b.png"}] * 3], tmp_path / "model.glb")
    textures = [mesh.material.texture.pixels for mesh in load_rig(model).meshes]
    assert len(calls) == 2
    assert [len(pixels) for pixels in textures] == [5] * 12 + [6] * 3
    assert len({id(pixels) for pixels in textures}) == 2


def test_pictures_of_a_model_have_a_limit_together(tmp_path, monkeypatch):
    monkeypatch.setenv(TOGETHER, "60")
    load_rig(textured([encoded(5, 5)] * 2, tmp_path / "two.glb"))
    with pytest.raises(
        InputError,
        match=r"three.glb: images\[2\]: with this picture of 5 x 5 pixels, .* are too large: 75 pixels",
    ):
        load_rig(textured([encoded(5, 5)] * 3, tmp_path / "three.glb"))


def test_pictures_of_a_scene_have_a_limit_together(tmp_path, monkeypatch):
    for number in range(3):
        (tmp_path / f"{number}.png").write_bytes(encoded(5, 5, seed=number))
    rigs = "".join(f'[rigs.r{n}]\nmodel = "ball"\ntexture = "{n}.png"\n' for n in range(2))
    crowds = "".join(
        f'[[crowds]]\nrig = "r{n}"\ncount = 1\nlayout = {{ kind = "grid" }}\nclips = [{{ name = "rest" }}]\n'
        for n in range(2)
    )
    scene = parse_scene(rigs + crowds + 'variants = ["0.png", "1.png", "2.png"]\n', "x.toml", tmp_path)
    monkeypatch.setenv(TOGETHER, str(5 * 25))
    for _ in range(2):  # each load counts anew
        with load_scene(scene, threads=1) as world:
            assert world.entities
    monkeypatch.setenv(TOGETHER, str(5 * 25 - 1))
    with pytest.raises(InputError, match=r"x.toml: crowds\[1\].variants\[2\]: .*2.png: with this picture of 5 x 5"):
        load_scene(scene, threads=1)
