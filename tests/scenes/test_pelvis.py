"""The pelvis of a grounded actor moves softly: down steps, up steps, down a slope."""

from pathlib import Path

import numpy as np
import pytest

from ecs_anim.components.grounding import Grounding
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from tests.helpers import FEW


class Pelvis:
    """Notes where each actor's pelvis is [m], step by step."""

    name = "pelvis"
    components = (Grounding, Transforms)

    def __init__(self):
        self.heights = []

    def run(self, chunk, grounding, transforms):
        joint = chunk.workspace.model[: chunk.actor_count, grounding.legs.pelvis[0], 7]
        rows = chunk.rows
        self.heights.append(transforms.translation[rows, 1] + transforms.scale[rows] * joint)


def pelvis_heights(scene, frames, dt=1 / 60):
    """[frame, actor] f64, [m]."""
    pelvis = Pelvis()
    with load_scene(scene, threads=1, systems=[(pelvis, "after", "grounding")]) as world:
        pelvis.heights.clear()
        for _ in range(frames):
            world.step(dt)
    return np.array(pelvis.heights, np.float64)


def steps(clip):
    """Return a scene of two actors on blocks. Each 0.9 m goes up or down by 2 to 5 cm, like a slope to a runner."""
    heights = [0.09, 0.05, 0.1, 0.14, 0.1, 0.07] * 6
    blocks = (
        f"{{ at = [0.0, {0.9 * number - 11.55:.2f}], size = [4.0, 0.9], height = {height} }}"
        for number, height in enumerate(heights)
    )
    text = f"""
    [rigs.people]
    model = "mannequin"
    [ground]
    kind = "blocks"
    floor = 0.0
    blocks = [{", ".join(blocks)}]
    [[crowds]]
    rig = "people"
    count = 2
    layout = {{ kind = "points", points = [[-1.0, 11.5], [0.0, 11.2]] }}
    clips = [{{ name = "{clip}", phase = 0.0 }}]
    locomotion = {{}}
    grounding = {{}}
    """
    return parse_scene(text, "steps.toml", Path())


@pytest.mark.skipif(FEW is not None, reason="uncompiled kernels would take minutes; compiled it runs everywhere")
def test_low_steps_do_not_jerk_the_pelvis_of_who_runs():
    """On the flat the clip accelerates it by 25 m/s2; a step of 5 cm taken in one frame is 180 m/s2."""
    heights = pelvis_heights(steps("run"), 240)
    assert np.ptp(heights, axis=0).max() > 0.07
    assert np.abs(np.diff(heights, 2, axis=0)).max() * 60**2 < 60


@pytest.mark.exhaustive
@pytest.mark.skipif(FEW is not None, reason="uncompiled kernels would take minutes; compiled it runs everywhere")
def test_stepping_down_the_pelvis_comes_down_in_time():
    """Legs take over the weight before they land, so that no actor drops onto the lower block."""
    heights = pelvis_heights("foot_course", 300)
    assert np.ptp(heights, axis=0).max() > 0.15
    assert np.abs(np.diff(heights, axis=0)).max() < 0.025
