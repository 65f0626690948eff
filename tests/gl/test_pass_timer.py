"""Times of passes: each stretch of a picture belongs to one pass, on both clocks."""

from itertools import pairwise
from time import perf_counter_ns

import numpy as np
import pytest

from ecs_anim.gl.device import resource
from ecs_anim.gl.device.pass_timer import LATE, PassTimer
from ecs_anim.gl.device.resource import generate
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting, View
from tests.helpers.gl import capsule, context_fixture, identity_palettes, instances_at  # noqa: F401

ACTORS = 5


@pytest.fixture(params=[False, True], ids=["finish", "queries"])
def timed(request, context):
    """A timer by either means, and what draws a picture with it."""
    with (
        PassTimer(context.capabilities, on_gpu=request.param) as timer,
        Renderer(context, samples=1, marks=timer) as renderer,
        renderer.target(64, 48) as target,
    ):
        model = renderer.upload((capsule(),))
        crowd = CrowdDraw(model, instances_at(np.zeros((ACTORS, 3))), identity_palettes(ACTORS))
        view = View.of(OrbitCamera(distance=6.0), target.aspect)

        def draw(shadows="map"):
            renderer.draw(target, view, Lighting(shadows=shadows), GroundStyle(), [crowd])

        yield timer, draw


def test_passes_come_in_order_and_without_gaps(timed):
    timer, draw = timed
    begin = perf_counter_ns()
    draw()
    (picture,) = timer.take()
    names = [part.name for part in picture]
    assert [name for k, name in enumerate(names) if name not in names[:k]] == [
        "cull and pose",
        "shadow map",
        "upload",
        "ground",
        "contact shadows",
        "crowds",
        "sky",
        "resolve",
    ]
    for before, after in pairwise(picture):
        assert before.end_ns == after.begin_ns
        assert before.gpu_end_ns == after.gpu_begin_ns
    assert begin <= picture[0].begin_ns < picture[-1].end_ns <= perf_counter_ns()


def test_passes_that_are_not_drawn_are_not_told(timed):
    timer, draw = timed
    draw("none")
    (picture,) = timer.take()
    assert {"shadow map", "contact shadows", "in front"}.isdisjoint(part.name for part in picture)


def test_an_upload_is_taken_out_of_the_pass_around_it(timed):
    timer, draw = timed
    draw("none")
    (picture,) = timer.take()
    uploads = [k for k, part in enumerate(picture) if part.name == "upload"]
    assert [picture[k].byte_count for k in uploads] == [ACTORS * 3 * 48]  # three matrices of 12 floats
    assert [(picture[k - 1].name, picture[k + 1].name) for k in uploads] == [("crowds", "crowds")]
    assert sum(part.byte_count for part in picture) == ACTORS * 3 * 48


def test_only_the_gpus_clock_is_called_so(timed):
    timer, draw = timed
    draw()
    (picture,) = timer.take()
    for part in picture:
        assert part.wall_ns >= 0
        assert (part.gpu_ns is not None) == timer.on_gpu
        if timer.on_gpu:
            assert part.gpu_ns >= 0


def test_the_gpus_times_stand_on_our_clock(context):
    with PassTimer(context.capabilities, on_gpu=True) as timer:
        before = perf_counter_ns()
        timer.begin("nothing")
        timer.end()
        ((part,),) = timer.take()
        assert abs(part.gpu_begin_ns - before) < 1e9


@pytest.mark.exhaustive
def test_queries_are_used_again(timed, monkeypatch):
    timer, draw = timed
    made = []
    monkeypatch.setattr(resource, "generate", lambda kind: made.append(kind) or generate(kind))
    for _ in range(6 * LATE):
        draw()
    pictures = timer.take()
    assert len(pictures) == 6 * LATE
    assert made.count("Queries") <= (LATE + 1) * (len(pictures[0]) + 1)
    assert ("Queries" in made) == timer.on_gpu
    assert timer.take() == []


def test_software_renderers_have_no_clock_to_trust(context):
    with PassTimer(context.capabilities) as timer:
        assert timer.on_gpu == (not context.capabilities.is_software)


def test_marks_outside_a_picture_are_nobodys(context):
    with PassTimer(context.capabilities) as timer:
        with timer.inside("upload", 7):
            pass
        assert timer.take() == []
