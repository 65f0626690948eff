"""`ecs-anim profile --compare-crowd-options`: what it prints agrees with what can be worked out otherwise."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.bake.options import BODY
from ecs_anim.commands.command_line import cli
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.profiling.crowd_options import FLOOR, FULL, OPTIONS, Option, compare_options, skin_error, with_option
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from tests.helpers import EXHAUSTIVE
from tests.helpers.baked import FADING, HEAD

KEYS = {"name", "frame_ms", "gain", "bake_mb", "skin_mm", "skin_mean_mm", "other_pixels"}
TEXT = FADING.replace('shadows = "map"', 'shadows = "none"').replace("KEYS", "")
BLENDS = (
    HEAD
    + """
[[crowds]]
rig = "people"
clips = [{ name = "idle" }]
blend_spaces = [{ name = "gait", parameters = ["speed"], members = [{ clip = "walk" }, { clip = "run" }] }]
parameters = { speed = 2.0 }
"""
)


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "crowd_options"))


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "scene.toml"
    found.write_text(TEXT, "utf-8")
    return found


def run(*arguments):
    command = ["profile", *map(str, arguments), "--compare-crowd-options"]
    return CliRunner().invoke(cli, command, catch_exceptions=False)


def option(name: str) -> Option:
    (found,) = (own for own in OPTIONS if own.name == name)
    return found


def errors_of(name: str) -> tuple[float, float]:
    with load_scene(with_option(parse_scene(TEXT, "x.toml", Path()), option(name)), actors=1, threads=1) as world:
        ((_, (character, baked)),) = world.query(Character, Baked)
    return skin_error(character.rig, baked)


def skinned(mesh, palettes: np.ndarray, influences: int = 4) -> np.ndarray:
    """Vertices [pose, vertex, 3] by plain sums, of the heaviest influences."""
    rank = np.argsort(np.argsort(-mesh.weights, axis=1, kind="stable"), axis=1)
    weights = np.where(rank < influences, mesh.weights.astype(np.float64), 0)
    weights /= weights.sum(axis=1, keepdims=True)
    bound = np.concatenate([mesh.positions, np.ones((mesh.vertex_count, 1))], axis=1)
    total = np.zeros((len(palettes), mesh.vertex_count, 3))
    for k in range(4):
        moved = np.einsum("pvij,vj->pvi", palettes[:, mesh.palette_indices[:, k]].astype(np.float64), bound)
        total += weights[:, k, None] * moved
    return total


@pytest.mark.parametrize("name", ["baked", "8-bit numbers", "nearest row", "two influences"])
@EXHAUSTIVE
def test_skin_errors_are_those_of_the_vertices(name):
    worst, mean = errors_of(name)
    with load_scene(with_option(parse_scene(TEXT, "x.toml", Path()), option(name)), actors=1, threads=1) as world:
        ((_, (character, baked)),) = world.query(Character, Baked)
    rig, bake, off = character.rig, baked.bake, []
    for number, clip in enumerate(bake.clips):
        phases = (np.arange(97) + 0.5) / 97
        rows = phases * clip.span.interval_count
        shown = phases if baked.interpolate else np.floor(rows + 0.5) / max(clip.span.interval_count, 1)
        times, moments = (clip.span.start + own * clip.span.duration for own in (phases, shown))
        exact = skin_palette(rig.skeleton, rig.clips[clip.name].sample(times, loop=False))
        made = bake.palette(number, moments, loop=False)
        (mesh,) = rig.level(0)
        off.append(np.linalg.norm(skinned(mesh, made, baked.influences) - skinned(mesh, exact), axis=-1))
    scale = BODY / bake.size
    assert worst == pytest.approx(scale * max(own.max() for own in off), rel=0.35, abs=0.01)
    assert mean == pytest.approx(scale * np.mean(off), rel=0.25, abs=0.002)


@EXHAUSTIVE
def test_errors_rank_as_they_should():
    errors = {own.name: errors_of(own.name) for own in OPTIONS if own.path == "baked" and own.name != FLOOR}
    for k in (0, 1):
        assert errors["baked"][k] < errors["16-bit floats"][k] < errors["8-bit numbers"][k] < errors["nearest row"][k]
        assert errors["baked"][k] < errors["two influences"][k] < errors["one influence"][k]
        assert errors["levels of detail"][k] == errors["baked"][k], "of the finest mesh"
    assert errors["rotations only"][0] >= errors["baked"][0]


@EXHAUSTIVE
def test_json_of_several_counts(path, monkeypatch):
    monkeypatch.setitem(compare_options.__kwdefaults__, "options", OPTIONS[:6])  # so that it takes less time
    done = run(
        path, "--actors", "2", "--actors", "3", "--frames", "1", "--size", "64x48", "--json", "-", "--threads", "1"
    )
    assert done.exit_code == 0, done.output
    both = json.loads(done.stdout)
    assert len(both) == 2
    for figures in both:
        assert [row["name"] for row in figures] == [own.name for own in OPTIONS[:6]]
        assert all(set(row) == KEYS for row in figures)
        found = {row["name"]: row for row in figures}
        assert found[FULL]["other_pixels"] == 0
        assert found[FULL]["bake_mb"] is found[FULL]["skin_mm"] is None
        assert found[FLOOR]["gain"] == 1
        assert found["8-bit numbers"]["bake_mb"] < found["16-bit floats"]["bake_mb"] < found["baked"]["bake_mb"]
        assert all(row["frame_ms"] > 0 for row in figures)


@EXHAUSTIVE
def test_pictures_are_compared_in_the_midst_of_fades():
    """Model space makes them in straight lines; the same options, told in another order."""
    options = [option(name) for name in ("model space", FLOOR, "baked", FULL)]
    scene = parse_scene(TEXT, "x.toml", Path())
    how = {"actors": 9, "seed": None, "threads": 1, "rounds": 9, "size": (200, 150)}
    found = {row.name: row for row in compare_options(scene, options=options, **how)}
    assert list(found) == [own.name for own in options]
    assert found[FULL].other_pixels == 0
    assert found["baked"].other_pixels < 0.001
    assert found["model space"].other_pixels > 0.005
    assert found[FLOOR].gain == 1


def test_what_cannot_be_compared_is_refused_in_one_line(tmp_path, path):
    with pytest.raises(InputError, match="Leave out --no-draw"):
        run(path, "--no-draw")
    with pytest.raises(InputError, match=r"^x.toml: crowds\[0\].blend_spaces: a bake cannot contain blend spaces."):
        with_option(parse_scene(BLENDS, "x.toml", Path()), OPTIONS[0])
    (tmp_path / "blends.toml").write_text(BLENDS, "utf-8")
    with pytest.raises(InputError, match=r"blends.toml: crowds\[0\]"):
        run(tmp_path / "blends.toml", "--frames", "1")


def test_what_only_the_cpu_does_is_left_out():
    """So that all options draw the same; keys that no baked crowd has, too."""
    keys = 'palette_bits = 16\nskinning = "dual_quaternion"\nshow_joints = true\nlayers = [{ clip = "wave" }]\n'
    scene = parse_scene(FADING.replace("KEYS", keys), "x.toml", Path())
    for own in OPTIONS:
        (crowd,) = with_option(scene, own).model.crowds
        assert (crowd.palette_bits, crowd.skinning, crowd.show_joints, crowd.layers) == (32, "linear", False, [])
        assert crowd.path == own.path
    with load_scene(with_option(scene, option("baked")), actors=1, threads=1) as world:
        assert len(list(world.query(Baked))) == 1
