"""Names that `import ecs_anim as ea` offers: names in place of paths, paths of any kind, short descriptions."""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.mannequin import PATH
from ecs_anim.scenes.rigs import BUILT_IN
from tests.helpers import random_skeleton

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 3
clips = [{ name = "idle" }]
[[crowds]]
name = "others"
rig = "people"
clips = [{ name = "walk" }]
"""


PACKAGES = ("ecs_anim", "ecs_anim.bake", "ecs_anim.components", "ecs_anim.farm", "ecs_anim.ik", "ecs_anim.systems")


class SomePath(os.PathLike):
    """A path that is neither a string nor pathlib's."""

    def __init__(self, name):
        self.name = name

    def __fspath__(self):
        return self.name


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scene.toml").write_text(SCENE)
    return tmp_path


@pytest.fixture(scope="module")
def mannequin():
    return ea.load_rig("mannequin")


@pytest.mark.parametrize("kind", [str, Path, SomePath])
def test_files_may_be_named_by_any_path(mannequin, kind):
    bake = ea.bake.bake_rig(mannequin, ea.bake.BakeOptions(rate=5.0), ["idle"])
    ea.bake.save_bake(bake, kind("x.bake"))
    np.testing.assert_array_equal(ea.bake.load_bake(kind("x.bake")).rows, bake.rows)
    with ea.load_scene(kind("scene.toml"), threads=1) as world:
        world.step(0.5)
        world.save(kind("x.npz"))
    with ea.load_world(kind("x.npz"), kind("scene.toml"), threads=1) as world:
        assert world.time == 0.5
    shutil.copy(PATH, "someone.glb")
    assert ea.load_rig(kind("someone.glb")).skeleton.joint_names == mannequin.skeleton.joint_names


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_rigs_have_names(name):
    rig = ea.load_rig(name)
    assert (rig.name, ea.load_rig(name, name="other").name) == (name, "other")
    assert rig.skeleton.joint_names == BUILT_IN[name](name).skeleton.joint_names


def test_a_file_counts_before_a_built_in_rig(folder, mannequin):
    shutil.copy(PATH, folder / "ball")
    assert ea.load_rig("ball").skeleton.joint_count == mannequin.skeleton.joint_count
    (folder / "chain").mkdir()
    assert ea.load_rig("chain").skeleton.joint_count == 6


def test_a_rig_that_is_not_there_is_told_with_the_nearest_name():
    with pytest.raises(ea.InputError, match=r"no file manequin; did you mean 'mannequin'\?"):
        ea.load_rig("manequin")


def test_a_clip_that_is_not_there_is_told_with_the_nearest(mannequin):
    with pytest.raises(ea.InputError, match=r"^no clip 'wlak'; did you mean 'walk'\? clips are: "):
        mannequin.clips["wlak"]
    assert mannequin.clips.get("wlak") is None
    assert "wlak" not in mannequin.clips


def test_all_crowds_in_the_order_of_the_scene():
    with ea.load_scene("scene.toml", threads=1) as world:
        assert [crowd.name for crowd in ea.crowds(world)] == ["people", "others"]
        assert [crowd.actor_count for crowd in ea.crowds(world)] == [3, 1]


def test_descriptions_are_one_short_line(mannequin):
    clip, skeleton = mannequin.clips["walk"], mannequin.skeleton
    assert repr(mannequin) == (
        f"<Rig 'mannequin': {len(skeleton.parents)} joints, {len(mannequin.meshes)} meshes,"
        f" {len(mannequin.clips)} clips>"
    )
    assert repr(clip) == f"<Clip 'walk': {clip.end - clip.start:g} s, {len(clip.tracks)} tracks>"
    assert (
        repr(skeleton)
        == f"<Skeleton 'Hips': {len(skeleton.parents)} joints, {len(skeleton.skin_joints)} palette entries>"
    )
    bake = ea.bake.bake_rig(mannequin, ea.bake.BakeOptions(rate=5.0), ["idle"])
    assert repr(bake) == f"<Bake 'mannequin': 1 clips, {bake.rows.shape[0]} rows of f32>"
    with ea.load_scene("scene.toml", threads=1) as world:
        world.step(0.5)
        people = ea.crowd(world, "people")
        people.remove(ids=[2])
        assert repr(people) == "<CrowdHandle 'people': 2 actors>"


def test_descriptions_of_names_that_are_long_or_act():
    name = "\x1b[31m\n" + 10_000 * "x"
    skeleton = random_skeleton(np.random.default_rng(1), 200)
    clip = ea.Clip(name, skeleton, (), 0.0, 1.0)
    for thing in (clip, ea.Rig(name, skeleton, (), {name: clip})):
        assert len(repr(thing)) < 100
        assert repr(thing).isprintable()


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_are_there_and_say_what_they_are(package):
    module = import_module(package)
    assert dir(module) == sorted(module.__all__)
    names: dict[str, object] = {}
    exec(f"from {package} import *", names)
    for name in module.__all__:
        value = getattr(module, name)
        assert names[name] is value
        if isinstance(value, type | FunctionType | ModuleType):
            assert (value.__doc__ or "").strip(), name
            assert not (value.__doc__ or "").startswith(f"{name}("), f"{name}: dataclasses make such docstrings up"


def test_public_names_have_one_path_each():
    names = [name for package in PACKAGES for name in import_module(package).__all__]
    assert len(names) == len(set(names))


def test_a_name_that_is_not_public_is_told_with_the_nearest():
    with pytest.raises(
        AttributeError, match=r"^module 'ecs_anim' has no attribute 'load_scen'; did you mean 'load_scene'\?$"
    ):
        ea.load_scen  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'ecs_anim.ik' has no attribute 'jnuk'$"):
        ea.ik.jnuk  # noqa: B018


def test_importing_the_front_door_imports_nothing_else():
    """Neither numpy, which takes a tenth of a second, nor anything of what the names stand for."""
    code = "import sys, ecs_anim; print([n for n in sys.modules if n in ('numpy', 'numba', 'esper', 'ecs_anim.ecs')])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_long_things_are_described_in_one_line(mannequin):
    clip, mesh = mannequin.clips["walk"], mannequin.meshes[0]
    assert repr(clip.sample([0.0, 0.1])) == f"<Pose [2, {mannequin.skeleton.joint_count}] float32>"
    assert repr(ea.ScalarTrack("STEP", [0, 2.5], [1, 2])) == "<ScalarTrack: 2 STEP keys, 0 to 2.5 s>"
    track = clip.tracks[0]
    keys = f"{len(track.times)} {track.interpolation} keys, 0 to {track.times[-1]:.6g} s"
    assert repr(track) == f"<Track: {track.path} of joint {track.joint_index}, {keys}>"
    counts = f"{mesh.vertex_count} vertices, {mesh.triangle_count} triangles"
    assert repr(mesh) == f"<Mesh {mesh.name!r}: {counts}, level 0>"
    texture = ea.Texture(np.zeros((3, 2, 5, 4), np.uint8))
    assert repr(texture) == "<Texture: 5 x 2 pixels, 3 variants>"
    assert repr(ea.Material("x", texture=texture)) == f"<Material 'x': base colour (1, 1, 1, 1), {texture}>"
    for thing in (mesh.material, ea.build_tables(mannequin.skeleton, [clip]), ea.OrbitCamera(), ea.bake.BakeOptions()):
        assert repr(thing).isprintable()
        assert len(repr(thing)) < 500
