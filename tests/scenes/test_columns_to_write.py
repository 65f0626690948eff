"""The table of columns in the page of users' own systems. Each row of the table works as the page states.

Each test reads the code and the position of its row from the page, and writes a value for the second of two actors.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import ecs_anim as ea
from tests.project.documents import ROOT
from tests.scenes.test_look_at import degrees_off, heads

DOCUMENT = (ROOT / "docs/user-systems.md").read_text("utf-8")
TABLE = DOCUMENT.partition("## Columns to write")[2].partition("###")[0]
ROW = re.compile(r"^\| (.+?) \| `(.+)` \| (\w+) system, before `(\w+)` \|$", re.MULTILINE)
ROWS = {label: (code, kind, before) for label, code, kind, before in ROW.findall(TABLE)}

DT, STEPS, SPEED = 1 / 60, 120, 1.2
SECONDS = STEPS * DT
SCENE = """
[rigs.people]
model = "{model}"
[camera]
target = [0.0, 1.5, 0.0]
distance = 12.0
azimuth_degrees = 180.0
[[crowds]]
name = "people"
rig = "people"
count = 2
layout = {{ kind = "points", points = [[{apart}, 0.0], [-{apart}, 0.0]] }}
{keys}
"""
STEERED = f"heading_degrees = 90\nbody = {{}}\nsteering = {{ goal = [0, 1000], desired_speed_m_s = {SPEED} }}"
FACES_EAST = STEERED.replace("90", "0", 1)
STANDS = 'clips = [{ name = "idle" }]'
WALKS = 'clips = [{ name = "walk" }, { name = "idle", weight = 0 }]'
WAVES = f'{STANDS}\nlayers = [{{ clip = "wave", mode = "override" }}]'
LAMP, FAR_LAMP = (-2.0, 1.5, 4.0), (3.0, 1.0, 4.0)
LOOKS = f'{STANDS}\ntargets.lamp = {{ kind = "point", at = {list(FAR_LAMP)} }}\nlook_at = {{ target = "lamp" }}'


class Run(NamedTuple):
    """A world after the steps, and the positions before the steps and after each step, [step, actor, 2] [m]."""

    world: ea.World
    path: np.ndarray

    @property
    def people(self) -> ea.CrowdHandle:
        return ea.crowd(self.world, "people")

    @property
    def moved(self) -> np.ndarray:
        """The displacement of the second actor, [2] [m]."""
        return self.path[-1, 1] - self.path[0, 1]

    def of_clip(self, actor: int) -> np.ndarray:
        """The palette of the clip `idle` at the phase of an actor."""
        clip = ea.load_rig("mannequin").clips["idle"]
        pose = clip.sample(float(self.people.phases[actor]) * clip.duration)
        return ea.skin_palette(self.people.rig.skeleton, pose)


class Case(NamedTuple):
    """A row of the table with a scene, and the check of two runs: a run with the own system, and a run without it."""

    check: Callable[[Run, Run], None]
    keys: str  # keys of the crowd
    apart: float  # [m], half of the distance between the actors
    model: str
    names: dict[str, Any]  # values of names in the code; `value` is the value of a column

    def run(self, **options: Any) -> Run:
        text = SCENE.format(model=self.model, keys=self.keys, apart=self.apart)
        world = ea.load_scene(text, threads=1, **options)
        people = ea.crowd(world, "people")
        path = [people.positions]
        for _ in range(STEPS):
            world.step(DT)
            path.append(people.positions)
        return Run(world, np.array(path))


CASES: dict[str, Case] = {}


def row(label: str, keys: str, apart: float = 20.0, model: str = "mannequin", **names: Any):
    def keep(check):
        CASES[label] = Case(check, keys, apart, model, names)
        return check

    return keep


def own_system(label: str, names: dict[str, Any]):
    """Return a system with the code of a row of the table, at the position that the table states."""
    code, kind, before = ROWS[label]
    statement = code if code.startswith("people.") else f"{code} = value"
    found = re.match(r"([A-Z]\w+)\.", code)
    component = getattr(ea.components, found[1] if found else "Crowd")
    known = {"rows": np.array([1]), **names}

    class Chunked:
        name, components = "own", (component,)

        def run(self, chunk, columns):
            assert chunk.rows == slice(0, 2)
            exec(statement, {**known, "chunk": chunk, component.__name__: columns})

    class Whole:
        name = "own"

        def run(self, world, dt):
            for _, (columns,) in world.query(component):
                exec(statement, {**known, "people": ea.crowd(world, "people"), component.__name__: columns})

    return [({"chunk": Chunked, "world": Whole}[kind](), "before", before)]


def test_each_row_of_the_table_has_a_case():
    assert ROWS.keys() == CASES.keys()
    assert len(ROWS) == TABLE.count("\n| ") - 2, "a row has another form than the test can read"


@pytest.mark.parametrize("label", ROWS)
def test_a_row_of_the_table_works(label):
    case = CASES[label]
    plain, own = case.run(), case.run(systems=own_system(label, case.names))
    with plain.world, own.world:
        case.check(own, plain)


@row("desired speed of steered actors [m/s]", STEERED, value=0.4)
def _(own, plain):
    np.testing.assert_allclose(own.moved, (0.0, 0.4 * SECONDS), atol=0.03)
    np.testing.assert_allclose(own.path[:, 0], plain.path[:, 0])


@row("desired direction of steered actors, a unit vector (x, z)", FACES_EAST, value=(1.0, 0.0))
def _(own, plain):
    np.testing.assert_allclose(own.moved, (SPEED * SECONDS, 0.0), atol=0.03)
    np.testing.assert_allclose(own.people.headings, (np.pi / 2, 0.0), atol=0.05)


@row("usual speed of steered actors [m/s], for all later steps", STEERED, value=0.7)
def _(own, plain):
    np.testing.assert_allclose(own.moved, (0.0, 0.7 * SECONDS), atol=0.03)
    np.testing.assert_allclose(own.path[:, 0], plain.path[:, 0])


@row("distance from other actors: radius of the body [m]", STEERED, apart=0.3, value=1.0)
def _(own, plain):
    def apart(run):
        return np.linalg.norm(run.path[-1, 0] - run.path[-1, 1])

    assert apart(plain) < 0.8
    assert apart(own) > 1.0


@row("goal of steered actors", FACES_EAST, goals=[[50.0, 0.0]])
def _(own, plain):
    np.testing.assert_allclose(own.moved, (SPEED * SECONDS, 0.0), atol=0.03)


@row("velocity of actors with a body; the actors stop steering", STEERED, velocities=[[1.0, 0.0]])
def _(own, plain):
    lost = 1.0**2 / (2 * 2.5)  # [m], with the acceleration of 2.5 m/s^2
    np.testing.assert_allclose(own.moved, (1.0 * SECONDS - lost, 0.0), atol=0.03)


@row("heading", STEERED, value=(0.0, 2**-0.5, 0.0, 2**-0.5))
def _(own, plain):
    """The value rotates by 90 degrees about +Y, from south to east."""
    np.testing.assert_allclose(own.people.headings, (np.pi / 2, 0.0), atol=0.05)
    np.testing.assert_array_equal(own.path, plain.path)


@row("position [m]", STEERED, value=(5.0, 0.0, 3.0))
def _(own, plain):
    np.testing.assert_array_equal(own.people.positions[1], (5.0, -3.0))


@row("size: factor from the units of the model to metres", STANDS, apart=1.5, value=1.5)
def _(own, plain):
    """The unit of the mannequin is the metre."""
    heights = [np.ptp(np.nonzero(shown(run)[1] == run.people.ids[1])[0]) for run in (own, plain)]
    assert heights[0] / heights[1] == pytest.approx(1.5, rel=0.05)


@row("clip", WALKS)
def _(own, plain):
    assert own.people.playing() == ["walk", "idle"]
    assert own.people.playing_clips([1]).clips.tolist() == ["idle"]


@row("playback speed of clips", WALKS, value=2.5)
def _(own, plain):
    duration = ea.load_rig("mannequin").clips["walk"].duration
    phases = own.people.phases - plain.people.phases
    assert phases[1] % 1 == pytest.approx(1.5 * SECONDS / duration % 1, abs=1e-3)
    assert phases[0] == 0


@row("parameter", f"{STANDS}\nparameters = {{ pace = 0.0 }}", value=3.0)
def _(own, plain):
    assert own.people.parameter("pace").tolist() == [0.0, 3.0]


@row("weight of a layer", WAVES, value=0.0)
def _(own, plain):
    """Without the layer, the pose is the pose of the clip."""
    expected = own.of_clip(1)
    np.testing.assert_allclose(own.people.palettes()[1], expected, atol=2e-3)
    assert np.abs(own.people.palettes()[0] - expected).max() > 0.05
    assert np.abs(plain.people.palettes()[1] - expected).max() > 0.05


@row("target of kind `point` of look-at and reach [m]", LOOKS, apart=1.0, value=LAMP)
def _(own, plain):
    assert degrees_off(heads(own.world), LAMP)[1] < 1.0
    assert degrees_off(heads(own.world), FAR_LAMP)[0] < 1.0
    assert degrees_off(heads(plain.world), LAMP)[1] > 20.0


@row("weight of look-at, reach or grounding", LOOKS, apart=1.0)
def _(own, plain):
    expected = own.of_clip(1)
    np.testing.assert_allclose(own.people.palettes()[1], expected, atol=2e-3)
    assert np.abs(plain.people.palettes()[1] - expected).max() > 0.05


@row("colour, linear RGBA", STANDS, apart=1.5, value=(1.0, 0.0, 0.0, 1.0))
def _(own, plain):
    def color_of(run, number):
        rgb, ids = shown(run)
        return np.median(rgb[ids == run.people.ids[number]], axis=0)

    red, green, blue = color_of(own, 1)
    assert red > 1.8 * max(green, blue)
    np.testing.assert_array_equal(color_of(own, 0), color_of(plain, 0))
    assert np.ptp(color_of(plain, 1)) < 0.3 * max(color_of(plain, 1))


@row("weight of a morph target", 'clips = [{ name = "rest" }]', model="blob")
def _(own, plain):
    ((_, (morphs,)),) = own.world.query(ea.components.Morphs)
    assert morphs.weights[:, own.people.rig.morph_targets.names.index("smile")].tolist() == [0.0, 0.5]


HEAD = np.array([[0, 0, 1, 0.5], [0, 1, 0, 2], [-1, 0, 0, 0.25]], np.float32)  # a turn about +Y, and a translation


@row("model matrix of one joint: the first three rows, 12 numbers", STANDS, joint=5, value=HEAD.ravel())
def _(own, plain):
    skeleton = own.people.rig.skeleton
    entries = [entry for entry, joint in enumerate(skeleton.skin_joints) if joint == 5]
    others = [entry for entry, joint in enumerate(skeleton.skin_joints) if joint != 5]
    bind = np.concatenate([skeleton.inverse_bind[entries], [[[0, 0, 0, 1]]] * len(entries)], axis=1)
    np.testing.assert_allclose(own.people.palettes()[:, entries], [HEAD @ bind] * 2, atol=1e-5)
    np.testing.assert_allclose(own.people.palettes()[:, others], plain.people.palettes()[:, others], atol=1e-6)


def shown(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return the colours and the actor ids of a picture."""
    (seen,) = ea.capture(run.world, passes=["rgb", "ids"], size=(320, 180))
    return seen.rgb, seen.ids
