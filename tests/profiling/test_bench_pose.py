"""The benchmark of poses measures what it says."""

import json
import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from ecs_anim.components.playback import Playback
from ecs_anim.gltf.load import load_rig
from ecs_anim.profiling.bench_pose import FEATURES, MIXED, WARMUP, Bench, main
from ecs_anim.profiling.pose_yardstick import PlainC
from ecs_anim.profiling.swaying import CLIPS, write_swaying
from ecs_anim.runtime.clip_table import build_tables

NAMES = ("walk", "run", "lean_left")


def test_it_prints_its_figures_and_nothing_else():
    result = CliRunner().invoke(main, ["--actors", "30", "--frames", "3"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    posing = sum(told["stages"][name] for name in ("sampling", "skin_palettes"))
    assert told["us_per_actor"] == pytest.approx(posing, abs=2e-4)
    assert told["ns_per_actor_joint"] == pytest.approx(1000 * posing / told["joints"], abs=0.02)
    assert told["total_us_per_actor"] > told["us_per_actor"] >= told["least_us_per_actor"] > 0
    assert told["bytes_per_actor"] > 22 * 48, "the palette alone"
    assert np.isfinite(told["checksum"])


@pytest.mark.parametrize("feature", FEATURES)
def test_every_feature_plays_what_it_names(feature):
    bench = Bench("mannequin", FEATURES[feature].format(*NAMES), 40, 1)
    with bench.world as world:
        for _ in range(WARMUP + 2):
            bench.frame()
        ((_, (playback,)),) = world.query(Playback)
        assert playback.slot_count.tolist() == [2 if feature == "fade in flight" else 1] * 40
        assert ("layers" in bench.figures().stages) == ("layer" in feature)


def test_poses_that_stand_still_are_no_benchmark():
    bench = Bench("mannequin", MIXED.format(*NAMES), 10, 1)
    with bench.world as world:
        ((_, (playback,)),) = world.query(Playback)
        playback.speed[:] = 0
        for _ in range(WARMUP + 1):
            bench.frame()
        with pytest.raises(RuntimeError, match="did not change"):
            bench.figures()


def test_chains_turn_all_their_joints_and_do_nothing_else(tmp_path):
    rig = load_rig(write_swaying(tmp_path / "chain.gltf", 24))
    layout = build_tables(rig.skeleton, list(rig.clips.values())).layout
    assert list(rig.clips) == list(CLIPS)
    assert layout.rotation_joints.tolist() == rig.skeleton.skin_joints.tolist() == list(range(24))
    assert len(layout.translation_joints) == len(layout.scale_joints) == 0
    assert {track.interpolation for clip in rig.clips.values() for track in clip.tracks} == {"LINEAR"}


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_plain_c_gives_the_same_palettes():
    bench = Bench("mannequin", MIXED.format(*NAMES), 50, 1)
    with bench.world as world:
        plain = PlainC(world)
        for _ in range(4):
            bench.frame()
            plain.frame()
        assert plain.figures(bench.palettes)["plain_c_us_per_actor"] > 0
        bench.frame()
        bench.frame()
        with pytest.raises(RuntimeError, match="are not the crowd's"):
            plain.figures(bench.palettes)
