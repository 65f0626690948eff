"""Hybrid crowds and levels of detail, seen: near actors as posed, far ones as baked, and no change that shows."""

from itertools import pairwise

import numpy as np
import pytest

from ecs_anim.components.morphs import Morphs
from ecs_anim.components.nearness import NearBudget, Nearness
from ecs_anim.components.parameters import Parameters
from ecs_anim.gl.crowds.culling import GpuCuller
from ecs_anim.systems.baked_drawing import shown_weights
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of
from tests.gl.test_baked_lists import MORPHS
from tests.helpers import EXHAUSTIVE
from tests.helpers.baked import (
    FADES,
    FADING,
    SCENE,
    STEP,
    draw,
    draw_passes,
    load,
    mean_apart,
    module_renderer_fixture,  # noqa: F401
    picture,
)

RICH = SCENE.replace(
    "KEYS",
    """
layers = [{ clip = "wave", mask = "RightArm", mode = "override", weight = 1.0 }]
look_at = { target = "eye" }
targets = { eye = { kind = "camera" } }
KEYS
""",
)
LAYERED = RICH.replace('look_at = { target = "eye" }', "")  # without gazes, which take time to turn
AUTO = 'path = "auto"\nlevel = "auto"\ndetail = { update_rates = RATES }\nnear_actors = { count = 0 }'
LONE = FADING.replace("count = 9", "count = 1").replace(FADES, "")
GRIN = MORPHS.replace('[{ name = "grin" }, { name = "hop" }]', '[{ name = "grin" }]')


def hybrid(actors: int, fade: float = 0.2) -> str:
    return f'path = "auto"\nnear_actors = {{ count = {actors}, fade_seconds = {fade} }}'


@EXHAUSTIVE
@pytest.mark.parametrize("text", [FADING, RICH, MORPHS], ids=["fades", "layers and looks", "morph targets"])
def test_all_near_is_what_the_cpu_poses(renderer, text):
    posed, near, far = (picture(renderer, text, keys) for keys in ("", hybrid(9), hybrid(0)))
    assert mean_apart(near, posed) < 0.003
    if text != FADING:
        assert mean_apart(far, posed) > 0.3


def test_nobody_near_is_a_baked_crowd(renderer):
    baked, far, rich = (
        picture(renderer, *own) for own in ((FADING, 'path = "baked"'), (FADING, hybrid(0)), (RICH, hybrid(0)))
    )
    np.testing.assert_array_equal(far, baked)
    np.testing.assert_array_equal(rich, picture(renderer, SCENE, 'path = "baked"'))


def test_some_near_are_in_their_places(renderer):
    """By ids: near actors' pixels are the posed picture's, far ones' the baked one's."""
    none = RICH.replace('"map"', '"none"')
    posed, baked = picture(renderer, none), picture(renderer, none, hybrid(0))
    with load(none, hybrid(4), steps=9) as world:
        drawing_of = DrawWorld(renderer)
        mixed, ids = draw(drawing_of, world, renderer), draw_passes(drawing_of, world, renderer).ids
        drawing_of.forget()
        ((_, (near,)),) = world.query(Nearness)
    assert len(near.rows) == 4
    is_near = np.isin(ids, near.rows + 1)
    inside = {name: mask & ~edges(ids) for name, mask in (("near", is_near), ("far", (ids > 0) & ~is_near))}
    assert min(mask.sum() for mask in inside.values()) > 150
    for own, other, mask in ((posed, baked, inside["near"]), (baked, posed, inside["far"])):
        right = np.abs(mixed - own).max(axis=-1)[mask]
        wrong = np.abs(mixed - other).max(axis=-1)[mask]
        assert (right > 8).mean() < 0.06
        assert (wrong > 8).mean() > 3 * (right > 8).mean()


def edges(ids: np.ndarray) -> np.ndarray:
    """Pixels with another id beside them."""
    found = np.zeros(ids.shape, bool)
    for axis in (0, 1):
        for shift in (-2, -1, 1, 2):
            found |= np.roll(ids, shift, axis) != ids
    return found


def frames(renderer, text: str, keys: str, *, count: int = 14, becomes: int = 9) -> list[np.ndarray]:
    """Pictures of steps in which, from the third on, so many are to be near."""
    found = []
    with load(text, keys, steps=6) as world:
        drawing_of = DrawWorld(renderer)
        for frame in range(count):
            for _, (near,) in world.query(Nearness):
                near.budget = NearBudget(becomes if frame >= 3 else 0, None)
            world.step(1 / 60)
            found.append(draw(drawing_of, world, renderer))
        drawing_of.forget()
    return found


def steps_between(pictures: list[np.ndarray]) -> np.ndarray:
    return np.array([mean_apart(one, other) for one, other in pairwise(pictures)])


@EXHAUSTIVE
def test_the_switch_of_plain_clips_does_not_show(renderer):
    """In every frame a hybrid crowd looks like a crowd posed by the CPU, on whichever path its actors are posed."""
    posed, mixed = frames(renderer, FADING, ""), frames(renderer, FADING, hybrid(0, 0.1))
    apart = np.array([mean_apart(own, right) for own, right in zip(mixed, posed, strict=True)])
    assert apart.max() < 0.012
    assert steps_between(posed).min() > 0.2


@EXHAUSTIVE
def test_what_only_near_actors_show_fades_in(renderer):
    """Where it takes no time, one frame jumps; where it does, no frame moves by much more than actors do."""
    posed, faded, cut = (frames(renderer, LAYERED, keys) for keys in ("", hybrid(0, 0.15), hybrid(0, 0.0)))
    motion = np.median(steps_between(posed))
    assert steps_between(cut).argmax() == 2
    assert steps_between(cut).max() > 2 * motion
    assert steps_between(faded).max() < min(1.6 * motion, 0.7 * steps_between(cut).max())
    assert mean_apart(faded[2], posed[2]) > 1
    assert max(mean_apart(own[-1], posed[-1]) for own in (faded, cut)) < 0.003


def test_a_share_of_half_lies_between(renderer):
    with load(RICH, hybrid(9, 1000.0), steps=6) as world:
        ((_, (near,)),) = world.query(Nearness)
        drawing_of, shown = DrawWorld(renderer), {}
        for share in (0.0, 0.5, 1.0):
            near.share[:] = share
            shown[share] = draw(drawing_of, world, renderer)
        drawing_of.forget()
    whole = mean_apart(shown[0.0], shown[1.0])
    assert whole > 1
    for share in (0.0, 1.0):
        assert 0.2 * whole < mean_apart(shown[0.5], shown[share]) < 0.95 * whole


@EXHAUSTIVE
def test_far_actors_show_shapes_that_are_set_and_driven_but_not_those_of_clips(renderer):
    far = picture(renderer, GRIN, hybrid(0))
    rest = picture(renderer, GRIN.replace('"grin"', '"rest"'))
    grins = picture(renderer, GRIN)
    assert mean_apart(far, rest) < 0.003
    assert mean_apart(far, grins) > 0.1
    slim = GRIN.replace('{ squash = "fat" }', "{ squash = 0.0 }")
    assert mean_apart(far, picture(renderer, slim, hybrid(0))) > 0.5


def test_shown_weights_are_the_near_ones_by_their_shares():
    with load(MORPHS, hybrid(5, 0.2), steps=4) as world:
        ((entity, (near, morphs, parameters)),) = world.query(Nearness, Morphs, Parameters)
        near.share[near.rows] = np.linspace(0.1, 1.0, len(near.rows))
        shown = shown_weights(world, entity)
        names = morphs.targets.names
        for row in range(9):
            for column, name in enumerate(names):
                far = parameters.value[row, 0] if name == "squash" else 0.0
                share = near.share[row] if row in near.rows else 0.0
                expected = far + share * (morphs.weights[row, column] - far)
                assert shown[row, column] == pytest.approx(expected, abs=1e-6)
        assert shown[near.rows][:, names.index("smile")].max() > 0.01
    with load(FADING, 'path = "baked"') as world:
        ((entity, _),) = world.query(Parameters)
        assert shown_weights(world, entity) is None


def shifted(world, pixels: float) -> None:
    """Move what the camera looks at aside by so many pixels of a picture 150 high."""
    camera = stage_of(world).camera
    camera.pan(pixels / 150, 0.0)


@EXHAUSTIVE
@pytest.mark.parametrize(("distance", "actors"), [(12.0, 9), (40.0, 60)])
def test_levels_of_detail_differ_less_than_a_step_aside(renderer, distance, actors):
    text = FADING.replace("distance = 6.5", f"distance = {distance}").replace("spacing = 1.3", "spacing = 1.8")
    finest, coarse = (
        picture(renderer, text, keys, actors=actors) for keys in ('path = "baked"', AUTO.replace("RATES", "false"))
    )
    with load(text, 'path = "baked"', steps=9, actors=actors) as world:
        shifted(world, 0.75)
        drawing_of = DrawWorld(renderer)
        aside = draw(drawing_of, world, renderer)
        drawing_of.forget()
    assert 0 < mean_apart(coarse, finest) < mean_apart(aside, finest)


def test_nobody_vanishes_at_any_level(renderer):
    far = FADING.replace("distance = 6.5", "distance = 60.0").replace("spacing = 1.3", "spacing = 6.0")
    ids = []
    for keys in ("", AUTO.replace("RATES", "true")):
        with load(far, keys, actors=49) as world:
            drawing_of = DrawWorld(renderer)
            seen = set()
            for _ in range(5):
                world.step(STEP)
                seen |= set(np.unique(draw_passes(drawing_of, world, renderer, (400, 300)).ids).tolist())
            drawing_of.forget()
        ids.append(seen)
    assert ids[0] == ids[1]
    assert len(ids[0]) > 30


@EXHAUSTIVE
def test_who_comes_nearer_changes_level_once_and_does_not_flicker(renderer, monkeypatch):
    """The distance also trembles by a twentieth. The CPU culls, because only its lists tell which levels are empty."""
    monkeypatch.setattr(GpuCuller, "fits", staticmethod(lambda *_: False))
    rng = np.random.default_rng(3)
    with load(LONE, AUTO.replace("RATES", "false")) as world:
        drawing_of, camera, levels = DrawWorld(renderer), stage_of(world).camera, []
        camera.target = np.array([0.0, 0.9, 0.0], np.float32)
        for distance in np.geomspace(45.0, 2.0, 100):
            camera.distance = distance * rng.uniform(0.975, 1.025)
            assert draw_passes(drawing_of, world, renderer, (300, 225)).ids.max() == 1
            (crowd,) = drawing_of._baked._crowds.values()
            levels += [k for k in range(crowd._levels.count) if crowd._lists.shown(k) is not None]
        drawing_of.forget()
    assert len(levels) == 100
    assert (np.diff(levels) <= 0).all()
    assert set(levels) == set(range(max(levels) + 1))
    assert max(levels) >= 2


@EXHAUSTIVE
def test_update_rates_skip_far_actors_but_not_who_comes_into_view(renderer):
    far = FADING.replace("distance = 6.5", "distance = 45.0").replace("spacing = 1.3", "spacing = 3.0")
    with load(far, AUTO.replace("RATES", "true"), steps=3, actors=60) as world:
        kept, camera = DrawWorld(renderer), stage_of(world).camera
        here, skipped = camera.target.copy(), []

        def fresh() -> np.ndarray:
            drawing_of = DrawWorld(renderer)
            shown = draw(drawing_of, world, renderer)
            drawing_of.forget()
            return shown

        for _ in range(4):
            world.step(STEP)
            skipped.append(mean_apart(draw(kept, world, renderer), fresh()))
        camera.target = here + np.array([0, 0, 900.0], np.float32)
        for _ in range(5):
            world.step(STEP)
            draw(kept, world, renderer)
        camera.target = here
        again = mean_apart(draw(kept, world, renderer), fresh())
        kept.forget()
    assert skipped[0] == 0, "all are posed for a first picture"
    assert 0 < max(skipped) < 0.3
    assert again < 0.1 * max(skipped)  # but for the levels that their margins keep
