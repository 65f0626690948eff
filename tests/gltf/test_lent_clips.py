"""Clips in a glTF file that did not have them: any program reads it, and all else is as it was."""

import json
import struct

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.gltf.lent_clips import with_clips
from ecs_anim.scenes.rigs import MANNEQUIN, load_model
from ecs_anim.support.errors import InputError
from tests.characters import OWN
from tests.helpers import random_clip


def written(path, content):
    path.write_bytes(content)
    return path


def parts(content):
    """JSON and binary chunk of a .glb, by the format's own words."""
    assert content[:4] == b"glTF"
    version, length = struct.unpack_from("<II", content, 4)
    assert (version, length) == (2, len(content))
    size, kind = struct.unpack_from("<II", content, 12)
    assert (kind, size % 4) == (0x4E4F534A, 0)
    rest, kind = struct.unpack_from("<II", content, 20 + size)
    assert (kind, rest % 4) == (0x004E4942, 0)
    return json.loads(content[20 : 20 + size]), content[28 + size :]


@pytest.mark.parametrize("path", [MANNEQUIN, *OWN], ids=lambda path: path.name)
def test_a_clip_more_and_all_else_as_it_was(path, tmp_path):
    rig = load_model(str(path))
    clip = random_clip(np.random.default_rng(3), rig.skeleton, "borrowed")
    other = ea.load_rig(written(tmp_path / "more.glb", with_clips(path, [clip])))
    assert list(other.clips) == [*rig.clips, "borrowed"]
    time = np.linspace(clip.start, clip.end, 9)
    for name in ("translation", "rotation", "scale"):
        a, b = (getattr(own.sample(time, loop=False), name) for own in (clip, other.clips["borrowed"]))
        np.testing.assert_allclose(a, b, atol=1e-6)
    for a, b in zip(rig.meshes, other.meshes, strict=True):
        np.testing.assert_array_equal(a.positions, b.positions)
        np.testing.assert_array_equal(a.indices, b.indices)
        assert (a.material.texture is None) == (b.material.texture is None)
    np.testing.assert_array_equal(rig.skeleton.inverse_bind, other.skeleton.inverse_bind)


def test_a_name_that_is_there_is_told():
    rig = load_model("mannequin")
    with pytest.raises(InputError, match="two clips have the name 'walk'. Rename"):
        with_clips(MANNEQUIN, [rig.clips["walk"]])
