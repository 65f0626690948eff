"""Drivers of a crowd in a scene file: the systems built from each entry, and the message for each mistake."""

import re
from pathlib import Path

import numpy as np
import pytest

from ecs_anim.components.clip_events import ClipEvents
from ecs_anim.components.controller import Controller
from ecs_anim.components.curves import Curves
from ecs_anim.components.layers import Layers
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.timeline import Timeline
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.phase_sync import retime
from ecs_anim.scenes import build as scene_build
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.parts.clip_marks import build_curves, build_events
from ecs_anim.scenes.rigs import load_model, load_rigs
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.support.errors import InputError
from tests.helpers import contact_phases

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 500
parameters = { speed = { initial = 1.0, max_change_per_second = 2.0 }, lean = [0.5, 1.0] }
triggers = ["greet"]
clips = [
    { name = "walk", event_seconds = { step = [0, 0.5] }, curves = { pin = PIN } },
    { name = "run", weight = 0, loop = false, event_seconds = { end = [0.7] } },
]
[[crowds.blend_spaces]]
name = "gait"
parameters = ["speed"]
keeps_pace = false
members = [{ clip = "walk" }, { clip = "run" }]
[[crowds.layers]]
clip = "lean_left"
phase = "lean"
weight = "pin"
mask = "Spine"
[crowds.controller]
start = "go"
states = { go = "gait", hi = "run" }
transitions = [
    { from = "go", to = "hi", when = ["greet", "speed < 0.5"] },
    { from = "any", to = "go", when = ["finished"], fade_seconds = 0.5, match_phase = true },
]
[[timeline]]
at_seconds = 1.0
crowd = "people"
every_seconds = 2.0
set = { speed = [0.0, 3.0] }
trigger = "greet"
fade_to = ["walk", "gait"]
""".replace("PIN", "{ seconds = [0.0, 0.5], values = [0.0, 1.0] }")


@pytest.fixture(scope="module")
def rigs():
    return load_rigs(parse_scene(SCENE, "x.toml", Path()))


@pytest.fixture
def load(monkeypatch, rigs):
    """Load a scene's text; the character is loaded once for all of them."""
    monkeypatch.setattr(scene_build, "load_rigs", lambda _: rigs)
    return lambda text: load_scene(parse_scene(text, "x.toml", Path()), threads=1)


def test_components_hold_what_the_file_says(load):
    with load(SCENE) as world:
        ((_, (parameters, events, curves)),) = world.query(Parameters, ClipEvents, Curves)
        ((_, (layers, controller)),) = world.query(Layers, Controller)
        assert parameters.names == ("speed", "lean", "greet", "pin")
        assert parameters.triggers == {"greet"}
        assert parameters.rate.tolist() == [2, np.inf, np.inf, np.inf]
        assert set(parameters.value[:, 0].tolist()) == {1}
        assert 0.5 <= parameters.value[:, 1].min() < 0.52 < 0.98 < parameters.value[:, 1].max() <= 1
        assert [*zip(events.clip_names, events.names, events.event_phase.tolist(), strict=True)] == [
            ("walk", "step", 0.0),
            ("walk", "step", 0.5),
            ("run", "end", 1.0),
        ]
        assert events.first_event.tolist() == [0, 2, 3, 3]
        assert curves.tables[0].parameter == 3
        np.testing.assert_allclose(curves.tables[0].values[0], np.minimum(np.linspace(0, 2, 65), 1), atol=1e-6)
        np.testing.assert_array_equal(curves.tables[0].values[1:], 0)
        (layer,) = layers.layers
        assert (layer.name, layer.phase_parameter, layer.weight_parameter) == ("lean_left", 1, 3)
        assert controller.machine.state_names == ("go", "hi")
        assert controller.machine.arrays.fade.tolist() == [0.25, 0.5]
        assert controller.machine.arrays.keeps_phase.tolist() == [False, True]
        ((_, (timeline,)),) = world.query(Timeline)
        (cue,) = timeline.cues
        assert (cue.at, cue.every, cue.fade_to, cue.triggers) == (1.0, 2.0, ("walk", "gait"), ("greet",))
        assert cue.targets == {"speed": (0.0, 3.0)}


def test_an_event_at_the_very_end_is_inside_the_clip(load):
    """The file keeps times as float32: its run ends at 0.69999999."""
    clip = load_model("mannequin").clips["run"]
    assert clip.duration < 0.7
    with load(SCENE) as world:
        ((_, (events,)),) = world.query(ClipEvents)
        assert events.event_phase[2] == 1


def retimed_crowd():
    """A walk as loaded, and in a blend space the same re-timed, as sync = "contacts" makes it."""
    rig = load_model("mannequin")
    walk = rig.clips["walk"]
    late = retime(walk, np.array([0.1, 0.7]), contact_phases(walk))
    motions = [Motion("walk", (Member(walk, (0, 1)),)), Motion("gait", (Member(late, (0, 1)),))]
    return build_motion_set(motions, build_tables(rig.skeleton, [walk, late]), ())


def crowd_of(clip):
    return CrowdModel.model_validate_json(f'{{"rig": "people", "clips": [{clip}]}}')


def test_events_and_curves_follow_a_clip_that_was_re_timed():
    motions, key = retimed_crowd(), SceneKey("x.toml", "crowds[0]")
    said = '{"name": "walk", "event_seconds": {"left": [0], "right": [0.5]}}'
    events = build_events(crowd_of(said), motions, key)
    assert events.first_event.tolist() == [0, 2, 4]
    np.testing.assert_allclose(events.event_phase, [0, 0.5, 0.1, 0.7], atol=1e-6)
    curve = '{"seconds": [0, 1], "values": [0, 8]}'
    crowd = crowd_of(f'{{"name": "walk", "curves": {{"pin": {curve}}}}}')
    (table,) = build_curves(crowd, motions, ("pin",), key).tables
    phase = np.linspace(0, 1, 65)
    np.testing.assert_allclose(table.values[0], 8 * phase, atol=1e-5)
    inside = (phase > 0.1) & (phase < 1)
    expected = np.interp(phase, [0.1, 0.7, 1.1], [0, 4, 8])
    np.testing.assert_allclose(table.values[1][inside], expected[inside], atol=1e-5)


PARAMETER = "crowds[0].parameters"
CLIP = "crowds[0].clips[0]"
SPACE = "crowds[0].blend_spaces[0]"
LAYER = "crowds[0].layers[0]"
CONTROLLER = "crowds[0].controller"
TRANSITION = f"{CONTROLLER}.transitions[0]"
CUE = "timeline[0]"
CHANGE = "max_change_per_second"
MISTAKES = [
    ("max_change_per_second", "max_change_per_secnd", f"secnd: unknown key; did you mean '{CHANGE}'?"),
    (f"{CHANGE} = 2.0", f"{CHANGE} = -1.0", f"{PARAMETER}.speed.{CHANGE}: should be greater than 0 (got -1.0)"),
    (f"{CHANGE} = 2.0", f"{CHANGE} = inf", f"{PARAMETER}.speed.{CHANGE}: should be a finite number (got Infinity)"),
    ("initial = 1.0", "initial = nan", f"{PARAMETER}.speed.initial: should be a finite number (got NaN)"),
    ("initial = 1.0", "initial = [1.0, inf]", f"{PARAMETER}.speed.initial[1]: should be a finite number"),
    ("[0.5, 1.0]", '"x"', f'{PARAMETER}.lean: should be a valid number (got "x")'),
    ("[0.5, 1.0]", "nan", f"{PARAMETER}.lean: should be a finite number (got NaN)"),
    ("[0.5, 1.0]", "1e300", f"{PARAMETER}.lean: should be less than or equal to 1000000000 (got 1e+300)"),
    ("[0.5, 1.0]", "[1.0]", f"{PARAMETER}.lean: should be a valid number (got [1.0])"),
    ("speed = {", "speed = 1, phase = {", f"{PARAMETER}: 'phase' is a reserved word of conditions or layers"),
    ("triggers", "trigers", "crowds[0].trigers: unknown key; did you mean 'triggers'?"),
    ('["greet"]\n', '["speed"]\n', f"{PARAMETER}: 'speed' is already the name of a trigger. Choose another name"),
    ('["greet"]\n', '["elapsed"]\n', "crowds[0].triggers: 'elapsed' is a reserved word"),
    ('["greet"]\n', '"greet"\n', 'crowds[0].triggers: should be a valid array (got "greet")'),
    ("[0, 0.5] }, curves", "0.5 }, curves", f"{CLIP}.event_seconds.step: should be a valid array (got 0.5)"),
    (
        "[0, 0.5] }, curves",
        "[1.5] }, curves",
        f"{CLIP}.event_seconds.step: the time must be at most 1 s, the duration of clip 'walk' (got 1.5 s)",
    ),
    ("[0, 0.5] }, curves", "[-1] }, curves", f"{CLIP}.event_seconds.step[0]: should be greater than or equal to 0"),
    ("[0, 0.5] }, curves", "[nan] }, curves", f"{CLIP}.event_seconds.step[0]: should be a finite number (got NaN)"),
    ("seconds = [0.0, 0.5]", "secnds = [0.0]", f"{CLIP}.curves.pin.secnds: unknown key; did you mean 'seconds'?"),
    ("seconds = [0.0, 0.5]", "seconds = [0.5, 0.5]", f"{CLIP}.curves.pin: seconds must increase"),
    (
        "seconds = [0.0, 0.5]",
        "seconds = [0.0]",
        f"{CLIP}.curves.pin: the lists seconds and values have different lengths",
    ),
    ("seconds = [0.0, 0.5]", "seconds = [0.0, inf]", f"{CLIP}.curves.pin.seconds[1]: should be a finite number"),
    (
        "seconds = [0.0, 0.5]",
        "seconds = [0.0, 8.0]",
        f"{CLIP}.curves.pin.seconds: the time must be at most 1 s, the duration of clip 'walk' (got 8 s)",
    ),
    ("values = [0.0, 1.0]", "values = [0.0, nan]", f"{CLIP}.curves.pin.values[1]: should be a finite number"),
    ("values", 'interpolation = "STP", values', f"{CLIP}.curves.pin.interpolation: should be 'STEP' or 'LINEAR'"),
    ("pin = {", "greet = {", f"{CLIP}.curves: 'greet' is already the name of a trigger. Choose another name"),
    ('["speed"]', '["sped"]', f"{SPACE}.parameters[0]: the crowd has no parameter 'sped'; did you mean 'speed'?"),
    ('["speed"]', "[]", f"{SPACE}.parameters: List should have at least 1 item"),
    ('["speed"]', '["speed", "lean", "pin"]', f"{SPACE}.parameters: List should have at most 2 items"),
    ("keeps_pace", 'sync = "contact"\nkeeps_pace', f"{SPACE}.sync: should be 'phase' or 'contacts' (got \"contact\")"),
    (
        'false\nmembers = [{ clip = "walk" }',
        'false\nsync = "contacts"\nmembers = [{ clip = "idle" }',
        f"{SPACE}.sync: clip 'idle': each foot must leave the ground",
    ),
    (
        '{ clip = "walk" }',
        '{ clip = "wlak" }',
        f"{SPACE}.members[0].clip: rig 'people' (mannequin) has no clip 'wlak';",
    ),
    (
        '{ clip = "walk" }',
        '{ clip = "walk", at = [0.0, 1.0] }',
        f"{SPACE}.members[0].at: the position must have one number for each parameter",
    ),
    (
        '{ clip = "walk" }',
        '{ clip = "walk", at = 3.5 }',
        f"{SPACE}.members: all members of a blend space must have different positions",
    ),
    ('{ clip = "walk" }', '{ clip = "walk", at = nan }', f"{SPACE}.members[0].at: should be a finite number"),
    ('{ clip = "walk" }', '{ clp = "walk" }', f"{SPACE}.members[0].clp: unknown key; did you mean 'clip'?"),
    (
        'name = "gait"',
        'name = "walk"',
        "crowds[0]: the names of motions must be different (got 'walk' twice). Rename one motion",
    ),
    ('"lean_left"', '"lean_lft"', f"{LAYER}.clip: rig 'people' (mannequin) has no clip 'lean_lft'; did you mean"),
    ('phase = "lean"', 'phase = "lena"', f"{LAYER}.phase: the crowd has no parameter 'lena'; did you mean 'lean'?"),
    ('weight = "pin"', 'weight = "pn"', f"{LAYER}.weight: the crowd has no parameter 'pn'; did you mean 'pin'?"),
    ('weight = "pin"', "weight = 2.0", f"{LAYER}.weight: should be less than or equal to 1 (got 2.0)"),
    ('weight = "pin"', "weight = nan", f"{LAYER}.weight: should be"),
    ('mask = "Spine"', 'mask = "Spin"', f"{LAYER}.mask: rig 'people' (mannequin) has no joint 'Spin'; did you mean"),
    ('mask = "Spine"', "mask = { Spine = 2.0 }", f"{LAYER}.mask.Spine: should be less than or equal to 1 (got 2.0)"),
    ('mask = "Spine"', "mask = { Spin = 0.5 }", "has no joint 'Spin'; did you mean 'Spine'?"),
    ('mask = "Spine"', 'maks = "Spine"', f"{LAYER}.maks: unknown key; did you mean 'mask'?"),
    ('mask = "Spine"', 'mode = "aditive"', f"{LAYER}.mode: should be 'additive' or 'override' (got \"aditive\")"),
    (
        'mask = "Spine"',
        "reference_seconds = 9.0",
        f"{LAYER}.reference_seconds: the time must be at most 0.5 s, the duration of clip 'lean_left' (got 9 s)",
    ),
    ('mask = "Spine"', "speed = inf", f"{LAYER}.speed: should be a finite number (got Infinity)"),
    (
        'mask = "Spine"',
        '[[crowds.layers]]\nclip = "lean_left"',
        "crowds[0].layers[1].name: the names of layers must be different (got 'lean_left' twice). Rename one layer",
    ),
    ('start = "go"', 'start = "gone"', f"{CONTROLLER}.start: there is no state 'gone'; did you mean 'go'? states are:"),
    ('start = "go"', 'strat = "go"', f"{CONTROLLER}.strat: unknown key; did you mean 'start'?"),
    ('go = "gait"', 'go = "gate"', f"{CONTROLLER}.states.go: the crowd has no motion 'gate'; did you mean 'gait'?"),
    ('hi = "run" }', 'hi = "run", any = "walk" }', f"{CONTROLLER}.states.any: a state cannot have the name 'any'"),
    ('from = "go"', 'from = "gos"', f"{TRANSITION}.from: there is no state 'gos'; did you mean 'go'?"),
    ('from = "go"', 'from = "anny"', f"{TRANSITION}.from: there is no state 'anny'; did you mean 'any'?"),
    ('from = "go"', 'form = "go"', f"{TRANSITION}.form: unknown key; did you mean 'from'?"),
    (
        'from = "go"',
        'source = "go"',
        f"{TRANSITION}.source: unknown key; known here: fade_seconds, from, match_phase, to, when",
    ),
    ('from = "go", ', "", f"{TRANSITION}.from: this key is missing"),
    ('to = "hi"', 'to = "any"', f"{TRANSITION}.to: there is no state 'any'; states are: go, hi"),
    ('to = "hi"', 'too = "hi"', f"{TRANSITION}.too: unknown key; did you mean 'to'?"),
    ('"greet", "speed < 0.5"', '"gret"', f"{TRANSITION}.when[0]: 'gret' is not a condition; did you mean 'greet'?"),
    (
        "speed < 0.5",
        "sped < 0.5",
        f"{TRANSITION}.when[1]: the condition 'sped < 0.5' names the unknown parameter 'sped'; did you mean",
    ),
    ("speed < 0.5", "speed < nan", f"{TRANSITION}.when[1]: 'speed < nan' is not a condition"),
    (
        "speed < 0.5",
        "speed < 1e999",
        f"{TRANSITION}.when[1]: the number in the condition 'speed < 1e999' must be from -1e+09 to 1e+09",
    ),
    ('["greet", "speed < 0.5"]', '"greet"', f'{TRANSITION}.when: should be a valid array (got "greet")'),
    ('["greet", "speed < 0.5"]', "[]", f"{TRANSITION}.when: List should have at least 1 item"),
    (
        "fade_seconds = 0.5",
        "fade_seconds = nan",
        f"{CONTROLLER}.transitions[1].fade_seconds: should be a finite number (got NaN)",
    ),
    (
        "fade_seconds = 0.5",
        "fade_seconds = -1",
        f"{CONTROLLER}.transitions[1].fade_seconds: should be greater than or equal to 0 (got -1)",
    ),
    ("at_seconds = 1.0", "at_seconds = -1.0", f"{CUE}.at_seconds: should be greater than or equal to 0 (got -1.0)"),
    ("at_seconds = 1.0", "at_seconds = nan", f"{CUE}.at_seconds: should be a finite number (got NaN)"),
    ("every_seconds = 2.0", "evry_seconds = 2.0", f"{CUE}.evry_seconds: unknown key; did you mean 'every_seconds'?"),
    (
        "every_seconds = 2.0",
        "every_seconds = 0",
        f"{CUE}.every_seconds: should be greater than or equal to 0.001 (got 0)",
    ),
    ("every_seconds = 2.0", "every_seconds = inf", f"{CUE}.every_seconds: should be a finite number (got Infinity)"),
    ("every_seconds = 2.0", "share = 1.5", f"{CUE}.share: should be less than or equal to 1 (got 1.5)"),
    ("every_seconds = 2.0", "share = nan", f"{CUE}.share: should be"),
    ("every_seconds = 2.0", "fade_seconds = inf", f"{CUE}.fade_seconds: should be a finite number (got Infinity)"),
    ('crowd = "people"', 'crowd = "peeple"', f"{CUE}.crowd: there is no crowd 'peeple'; did you mean 'people'?"),
    ("set = { speed", "set = { sped", f"{CUE}.set: crowd 'people' has no parameter 'sped'; did you mean 'speed'?"),
    ("[0.0, 3.0]", "[0.0, nan]", f"{CUE}.set.speed[1]: should be a finite number (got NaN)"),
    ('trigger = "greet"', 'trigger = "gret"', f"{CUE}.trigger: crowd 'people' has no trigger 'gret'; did you mean"),
    ('trigger = "greet"', 'trigger = "speed"', f"{CUE}.trigger: crowd 'people' has no trigger 'speed'; it has: greet"),
    ('["walk", "gait"]', '["walk", "gat"]', f"{CUE}.fade_to: crowd 'people' has no motion 'gat'; did you mean 'gait'?"),
    ("count = 500", "fade_slots = 9", "crowds[0].fade_slots: should be less than or equal to 8 (got 9)"),
]


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=[new[:40] for _, new, _ in MISTAKES])
def test_a_mistake_is_one_line_with_its_place_and_fix(load, old, new, message):
    assert old in SCENE
    with pytest.raises(InputError) as caught:
        load(SCENE.replace(old, new, 1)).close()
    line = str(caught.value)
    assert line.startswith("x.toml: ")
    assert message in line
    assert "\n" not in line
    assert "more)" not in line or "unknown key" in line, "one mistake is told as one; a wrong key leaves one missing"


NUMBERS = [(match.start(), match.end()) for match in re.finditer(r"\b\d+(\.\d+)?\b", SCENE)]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e39", "-1e300"])
def test_no_number_of_a_scene_may_be_without_bounds(load, number):
    for start, end in NUMBERS:
        with pytest.raises(InputError, match=r"^x\.toml: (crowds|timeline)\[0\]\."):
            load(SCENE[:start] + number + SCENE[end:]).close()
