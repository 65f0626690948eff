"""Scene keys of crowds that the GPU poses: what they make, and what is refused."""

import numpy as np
import pytest

from ecs_anim.bake.build import bake_rig
from ecs_anim.components.baked import Baked, Detail
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.profiling.measure import measure, poses_hash
from ecs_anim.profiling.report import as_json
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.scenes import bakes
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.queries import posing_text, who_poses
from ecs_anim.systems.skinning import set_skinning, swap_skinning

HEAD = """
title = "x"
[rigs.mannequin]
model = "mannequin"
[rigs.blob]
model = "blob"
[[crowds]]
rig = "mannequin"
count = 6
layout = { kind = "grid" }
"""
CLIPS = 'clips = [{ name = "walk" }, { name = "idle" }]\n'


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def load(keys, tmp_path, clips=CLIPS):
    return load_scene(parse_scene(HEAD + clips + keys, "x.toml", tmp_path), threads=1)


def only(world, component_type):
    ((_, (found,)),) = world.query(component_type)
    return found


@pytest.mark.exhaustive
def test_a_baked_crowd_has_a_bake_of_what_it_plays_and_no_palette(tmp_path):
    with load('path = "baked"', tmp_path) as world:
        baked, character = only(world, Baked), only(world, Character)
        assert not list(world.query(Palette))
        assert not list(world.query(Nearness))
        assert not list(world.query(Detail))
        assert [clip.name for clip in baked.bake.clips] == [clip.name for clip in character.motions.tables.clips]
        assert (baked.interpolate, baked.influences, baked.shader) == (True, 4, "palette")
        rig = character.rig
        expected = bake_rig(rig, clips=("walk", "idle"))
        np.testing.assert_array_equal(baked.bake.rows, expected.rows)
        world.step(1 / 30)


@pytest.mark.exhaustive
def test_options_arrive(tmp_path):
    keys = """
path = "auto"
level = "auto"
bake = { space = "model", format = "u8", rate_hz = 20.0, interpolate = false, influences = 2, rotation_only = true }
detail = { pixel_error = 2.0, update_rates = false }
near_actors = { milliseconds = 1.5, fade_seconds = 0.5 }
"""
    with load(keys, tmp_path) as world:
        baked, near = only(world, Baked), only(world, Nearness)
        options = baked.bake.options
        assert (options.space, options.number_format, options.rate) == ("model", "u8", 20.0)
        assert options.rotation_only
        assert (baked.interpolate, baked.influences) == (False, 2)
        assert only(world, Detail) == Detail(2.0, update_rates=False)
        assert (near.budget.actors, near.budget.milliseconds, near.fade) == (None, 1.5, 0.5)
    with load('path = "auto"', tmp_path) as world:
        assert only(world, Nearness).budget.actors == 100


@pytest.mark.exhaustive
def test_clips_that_were_retimed_are_baked_as_they_are_played(tmp_path):
    clips = """
clips = [{ name = "walk" }]
blend_spaces = [{ name = "gait", parameters = ["speed"], sync = "contacts", members = GAITS }]
parameters = { speed = 2.0 }
""".replace("GAITS", '[{ clip = "walk" }, { clip = "run" }]')
    with load('path = "auto"', tmp_path, clips) as world:
        baked, character = only(world, Baked), only(world, Character)
        played = character.motions.tables.clips
        assert len(baked.bake.clips) == len(played)
        assert len({clip.name for clip in baked.bake.clips}) == len(played)
        tables = build_tables(character.rig.skeleton, played)
        for number, clip in enumerate(baked.bake.clips):
            halfway = clip.span.start + 0.37 * clip.span.duration
            pose = played[number].sample(halfway, loop=False)
            found = baked.bake.sample(number, halfway, loop=False)
            along = np.abs(np.sum(pose.rotation * found.rotation, axis=-1))
            assert along.min() > 1 - 1e-4
        assert tables.layout.row_width == character.motions.tables.layout.row_width


@pytest.mark.exhaustive
def test_crowds_that_play_alike_share_a_bake(tmp_path):
    second = '[[crowds]]\nrig = "mannequin"\npath = "baked"\n' + CLIPS
    third = '[[crowds]]\nrig = "mannequin"\npath = "baked"\nclips = [{ name = "idle" }]\n'
    with load('path = "baked"\n' + second + third, tmp_path) as world:
        found = [baked.bake for _, (baked,) in world.query(Baked)]
        assert found[0] is found[1]
        assert found[0] is not found[2]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("bake = {}", 'bake: only crowds with path = "baked" or path = "auto" can have a bake. Add the key path'),
        ('level = "auto"\nskinning = "dual_quaternion"', 'level = "auto" needs linear skinning'),
        (
            'path = "baked"\nnear_actors = {}',
            'near_actors: a crowd can have near actors only if path = "auto". Add path = "auto"',
        ),
        ('path = "baked"\ndetail = {}', 'detail: this crowd has only one detail level. Add level = "auto"'),
        (
            'path = "auto"\nnear_actors = { count = 3, milliseconds = 1.0 }',
            "count and milliseconds must not be given together",
        ),
        ('path = "auto"\nbake = { rate_hz = 3.0, error_mm = 1.0 }', "rate_hz and error_mm must not be given together"),
        ('path = "baked"\nbake = { shader = "classic" }', 'Add space = "model"'),
        ('path = "auto"\nbake = { shader = "classic", space = "model" }', "crowds[0].bake.shader"),
        ('path = "baked"\nlevel = 9', "the number of detail levels of rig"),
        ('path = "baked"\nbake = { format = "f64" }', "crowds[0].bake.format"),
        ('path = "fast"', "crowds[0].path"),
        ('path = "baked"\ngrounding = {}', "crowds[0].grounding: a baked crowd can play only plain clips"),
        (
            'path = "baked"\nlook_at = { target = "t" }\ntargets = { t = { kind = "camera" } }',
            "crowds[0].look_at: a baked",
        ),
        ('path = "baked"\nlimits = { Head = {} }', "crowds[0].limits"),
        ('path = "baked"\nlayers = [{ clip = "wave" }]', "crowds[0].layers: a baked"),
        ('path = "baked"\nmorphs = { smile = 1.0 }', "crowds[0].morphs: a baked"),
        (
            'path = "baked"\nskinning = "dual_quaternion"',
            "crowds[0].skinning: this key has no effect on poses that the GPU",
        ),
        ('path = "auto"\nshow_joints = true', "crowds[0].show_joints: this key has no effect on poses that the GPU"),
        ('path = "auto"\npalette_bits = 16', "crowds[0].palette_bits: this key has no effect on poses that the GPU"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(tmp_path, keys, said):
    with pytest.raises(InputError) as caught:
        load(keys, tmp_path)
    text = str(caught.value)
    assert said in text
    assert "\n" not in text
    assert text.startswith("x.toml: ")


@pytest.mark.exhaustive
def test_a_baked_crowd_plays_no_blend_spaces(tmp_path):
    clips = (
        'blend_spaces = [{ name = "gait", parameters = ["speed"], members = [{ clip = "walk" }, { clip = "run" }] }]\n'
    )
    with pytest.raises(InputError, match="blend_spaces: a baked crowd can play only plain clips"):
        load('parameters = { speed = 2.0 }\npath = "baked"', tmp_path, clips)


def test_clips_that_move_morph_targets_are_not_baked(tmp_path):
    blob = HEAD.replace('rig = "mannequin"\ncount', 'rig = "blob"\ncount')
    clips = 'clips = [{ name = "grin" }]\n'
    with pytest.raises(InputError, match="morph targets, which a bake cannot contain"):
        load_scene(parse_scene(blob + clips + 'path = "baked"', "x.toml", tmp_path), threads=1)
    with load_scene(parse_scene(blob + clips + 'path = "auto"', "x.toml", tmp_path), threads=1) as world:
        world.step(1 / 30)


class TestSlowBakes:
    """With timers whose time comes, or does not, as soon as they are started."""

    @pytest.fixture
    def timers(self, monkeypatch):
        made = []

        class Timer:
            comes = False

            def __init__(self, seconds, tell):
                self.seconds, self.tell, self.cancelled = seconds, tell, False
                made.append(self)

            def start(self):
                if self.comes:
                    self.tell()

            def cancel(self):
                self.cancelled = True

        monkeypatch.setattr(bakes, "Timer", Timer)
        return made, Timer

    @pytest.mark.exhaustive
    def test_a_bake_that_takes_long_is_told_of(self, tmp_path, timers, capsys):
        made, timer = timers
        timer.comes = True
        with load('path = "baked"\nbake = { error_mm = 0.6 }', tmp_path):
            assert "baking 2 clips of mannequin" in capsys.readouterr().err
        assert [(own.seconds, own.cancelled) for own in made] == [(bakes.SLOW, True)]

    @pytest.mark.exhaustive
    def test_a_quick_one_is_not(self, tmp_path, timers, capsys):
        made, _ = timers
        with load('path = "baked"\nbake = { error_mm = 0.7 }', tmp_path):
            assert capsys.readouterr().err == ""
        assert [own.cancelled for own in made] == [True]


def test_hashes_tell_what_decides_the_palettes(tmp_path):
    keys = 'path = "baked"\nbake = { rate_hz = RATE }'
    with load(keys.replace("RATE", "20.0"), tmp_path) as one, load(keys.replace("RATE", "20.0"), tmp_path) as same:
        assert poses_hash(one) == poses_hash(same)
        one.step(1 / 30)
        assert poses_hash(one) != poses_hash(same)
    with load(keys.replace("RATE", "20.0"), tmp_path) as one, load(keys.replace("RATE", "10.0"), tmp_path) as other:
        assert poses_hash(one) != poses_hash(other)


@pytest.mark.exhaustive
def test_profiles_tell_who_poses(tmp_path):
    text = (
        HEAD + CLIPS + 'path = "auto"\nnear_actors = { count = 2 }\n[[crowds]]\nrig = "mannequin"\nname = "b"\n' + CLIPS
    )
    scene = parse_scene(text, "x.toml", tmp_path)
    asked = {"actors": None, "seed": None, "threads": 1, "frames": 2, "warmup": 0, "size": None}
    told = as_json(measure(scene, "x", **asked))["crowds"]
    assert told == [
        {"crowd": "mannequin", "path": "auto", "by_cpu": 2, "by_gpu": 4},
        {"crowd": "b", "path": "pose", "by_cpu": 1, "by_gpu": 0},
    ]
    with load('path = "baked"', tmp_path) as world:
        assert posing_text(who_poses(world)) == "posed by the GPU: mannequin 6 of 6"
        assert [posing.path for posing in who_poses(world)] == ["baked"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", ["baked", "auto"])
def test_what_the_gpu_poses_is_skinned_linearly(tmp_path, path):
    with load(f'path = "{path}"', tmp_path) as world:
        ((entity, _),) = world.query(Crowd)
        with pytest.raises(ValueError, match="cannot read the palettes or change the skinning"):
            set_skinning(world, entity, "dual_quaternion")
        swap_skinning(world)
        world.step(1 / 30)
