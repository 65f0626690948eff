"""People whose steps are known are recorded, and walk again as the recording has them: against the truth."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.maths.small_matrices import length
from ecs_anim.retargeting.same_names import by_names
from ecs_anim.scenes.recordings import read_recorded
from ecs_anim.scenes.rigs import load_model
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_trajectories import TrajectoryModel
from ecs_anim.trajectories import load, roots
from ecs_anim.trajectories.step_phase import PRIOR
from tests.helpers import ASSETS, EXHAUSTIVE, MOTIONS, real
from tests.helpers.body import Watch
from tests.people.recorded import RATE, landings, standing, walked

WOMAN = str(ASSETS / "Woman.gltf")
NOISE, PHASES = 0.005, (0.3, 0.8)  # [m] of a recording, and where in a stride people begin
SCENE = """
[rigs.people]
model = '{model}'
height = 1.75
[[crowds]]
name = "people"
rig = "people"
body = {{}}
trajectories = {{ file = "people.csv" }}
"""
pytestmark = pytest.mark.filterwarnings("ignore:.*drawn without the texture")


def mannequin():
    return load_model("mannequin"), "idle", "walk"


def woman():
    return load_model(WOMAN), "Idle", "Walking"


def manny():
    """The body, with those tracks of its clips that it has joints for: it has no slots to hold things by."""
    rig = load_model(str(MOTIONS / "manny_med_mod.gltf"))
    clips = {}
    for name in ("T-Pose", "Walking_A"):
        clip = load_model(str(MOTIONS / "Med_MovementBasic.glb")).clips[f"Rig_Medium|{name}"]
        known = [t for t in clip.tracks if clip.skeleton.joint_names[t.joint_index] in rig.skeleton.joint_names]
        clips[name] = by_names(replace(clip, tracks=tuple(known)), rig.skeleton)
    return replace(rig, clips=clips), "T-Pose", "Walking_A"


CHARACTERS = [
    pytest.param(mannequin, "mannequin", id="mannequin"),
    *(pytest.param(woman, WOMAN, id="Woman") for _ in real("Woman.gltf")),
    *(pytest.param(manny, "mannequin", id="manny") for _ in real("manny_med_mod.gltf", folder=MOTIONS)),
]


def write(folder, recordings):
    rows = ["id,time_s,x_m,y_m"]
    for person, (times, xy) in enumerate(recordings):
        rows += [f"{person},{time:.4f},{x:.4f},{y:.4f}" for time, (x, y) in zip(times, xy, strict=True)]
    (folder / "people.csv").write_text("\n".join(rows) + "\n", "utf-8")


def soles_again(folder, model, steps):
    """Heels and balls on the map [step, actor, leg, 2, 2] of people who walk as the file has it."""
    (folder / "scene.toml").write_text(SCENE.format(model=model), "utf-8")
    watch = Watch()
    with ea.load_scene(folder / "scene.toml", threads=1, systems=[(watch, "after", "step_feet")]) as world:
        for _ in range(steps - 1):  # the first is as the scene begins
            world.step(1 / RATE)
    return np.stack([contacts for _, contacts, _ in watch.frames])[..., [0, 2]] * [1, -1]


def step_length(soles):
    landed = landings(standing(soles), soles)[:, 2:]
    lengths = length(np.diff(landed, axis=0))
    return float(np.median(lengths[lengths > 0.2]))  # not those of feet that come to stand side by side


def distance(own, person, truth):
    """[m] of a person's roots from where they truly were."""
    span = slice(own.starts[person], own.starts[person + 1])
    true = np.stack([np.interp(own.times[span], truth.times, truth.root[:, axis]) for axis in range(2)], axis=-1)
    return length(own.xy[span] - true)


@pytest.mark.parametrize(("character", "model"), CHARACTERS[:2])
@EXHAUSTIVE
def test_left_is_left_and_feet_stand_when_they_stood(character, model, tmp_path):
    people = [walked(*character(), phase=phase) for phase in PHASES]
    write(tmp_path, [own.recorded(own.swaying, 25.0, NOISE, seed) for seed, own in enumerate(people)])
    soles = soles_again(tmp_path, model, len(people[0].times))
    own = roots(load(tmp_path / "people.csv"))
    for person, truth in enumerate(people):
        agree = standing(soles[:, person]) == truth.stands
        # The person stops for 2 s. Until some steps after the stop, other feet than the person's may stand.
        assert agree.mean() > 0.85
        assert np.mean(agree[: 11 * RATE]) > 0.9
        assert step_length(soles[:, person]) == pytest.approx(step_length(truth.soles), abs=0.06)
        assert np.percentile(distance(own, person, truth), 95) < 0.02
    swapped = standing(soles[:, 0])[:, ::-1] == people[0].stands
    assert swapped.mean() < 0.5


@pytest.mark.parametrize(("character", "model"), CHARACTERS)
@EXHAUSTIVE
def test_heads_of_clips_walk_again_with_steps_as_long(character, model, tmp_path):
    people = [walked(*character(), phase=phase) for phase in PHASES]
    write(tmp_path, [own.recorded(own.head, 25.0, NOISE, seed) for seed, own in enumerate(people)])
    soles = soles_again(tmp_path, model, len(people[0].times))
    own = roots(load(tmp_path / "people.csv"))
    for person, truth in enumerate(people):
        assert step_length(soles[:, person]) == pytest.approx(step_length(truth.soles), abs=0.06)
        aside = np.median(length(truth.head - truth.root))  # by which the clip's head is off its root
        assert np.percentile(distance(own, person, truth), 95) < 0.02 + aside


@pytest.mark.parametrize(("character", "model"), CHARACTERS)
def test_sparse_recordings_show_no_steps_and_say_so(character, model, tmp_path):
    truth = walked(*character())
    write(tmp_path, [truth.recorded(truth.head, 2.5, NOISE, 0)])
    assert (roots(load(tmp_path / "people.csv")).evidence == PRIOR).all()
    recorded = read_recorded(TrajectoryModel(file="people.csv"), tmp_path, SceneKey("scene.toml", "crowds[0]"))
    assert recorded.shown == {"sway": 0, "speed": 0, "prior": 1}
