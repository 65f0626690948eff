"""Measures of feet while actors come and go, against what each actor's feet did by its id, in plain dictionaries."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.foot_measures import FootMeasures
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.nearness import Nearness
from ecs_anim.profiling.validation.feet import figures, measure_feet, watch_feet
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene

SCENE = """
[rigs.people]
model = "mannequin"
[camera]
distance = 8.0
[[crowds]]
name = "people"
rig = "people"
count = 9
layout = { kind = "scatter", radius = 8.0 }
clips = [{ name = "CLIP" }]
grounding = {}
"""
STANDING = SCENE.replace("CLIP", "idle")
WALKING = SCENE.replace("CLIP", "walk") + "locomotion = { area_radius = 8.0 }\n"
HYBRID = WALKING + 'path = "auto"\nnear_actors = { count = 4, fade_seconds = 0.0 }\n'
FRAMES = 40
DT = 1 / 60


class ComeAndGo:
    """At each step the oldest actor leaves. At each second step two actors join, and one of them is a copy."""

    name = "come_and_go"

    def __init__(self):
        self.rng, self.steps, self.ids = np.random.default_rng(4), 0, []

    def run(self, world, dt):
        if dt == 0:
            return
        people, self.steps = ea.crowd(world, "people"), self.steps + 1
        people.remove(ids=people.ids.min())
        if self.steps % 2:
            people.add(positions=self.rng.uniform(-9, 9, (1, 2)))
            people.add(like=[0], positions=self.rng.uniform(-9, 9, (1, 2)))
        self.ids.append(people.ids)


class Witness:
    """Remembers what feet of each id did, right after the chunks."""

    name = "witness"

    def __init__(self):
        self.by_id, self.frame = {}, 0

    def run(self, world, dt):
        if dt == 0:  # the first pose, before anybody watches
            return
        self.frame += 1
        ((entity, (crowd, measures, contacts)),) = world.query(Crowd, FootMeasures, FootContacts)
        near = world.find(entity, Nearness)
        for row in range(crowd.actor_count) if near is None else near.rows:
            planted = contacts.pin[row, :, :2] > 0.5
            now = measures.ankle[row].astype(np.float64), measures.point[row].copy(), planted, measures.gap[row].copy()
            self.by_id.setdefault(int(crowd.ids[row]), {})[self.frame] = now

    def expected(self):
        """Accelerations, skates and planted gaps, of steps in which the same actor was measured before."""
        acceleration, skate, gap = [], [], []
        for frames in self.by_id.values():
            for frame, (ankle, point, planted, own) in frames.items():
                gap += own[planted].tolist()
                if frame - 1 not in frames:
                    continue
                last, before_point, before_planted, _ = frames[frame - 1]
                speed = np.hypot(*(point - before_point)[..., [0, 2]].transpose(2, 0, 1)) / DT
                for leg in range(2):
                    still = [speed[leg, k] for k in range(2) if planted[leg, k] and before_planted[leg, k]]
                    skate += [min(still)] if still else []
                if frame - 2 in frames:
                    first = frames[frame - 2][0]
                    acceleration += np.linalg.norm((ankle - last) - (last - first), axis=-1).tolist()
        return np.array(acceleration) / DT**2, np.array(skate), np.array(gap)


def watched(text, systems, threads=1):
    world = load_scene(parse_scene(text, "x.toml", Path()), threads=threads, systems=systems)
    assert watch_feet(world)
    return world


@pytest.mark.parametrize("text", [STANDING, WALKING, HYBRID])
@pytest.mark.parametrize("side", ["before", "after"])
def test_feet_are_their_actors_whatever_row_they_are_in(text, side):
    """Also those of actors that leave in the very step in which they were measured."""
    people, witness = ComeAndGo(), Witness()
    place = (people, side, "chunks")
    with watched(text, [(witness, "after", "chunks"), place]) as world:
        (found,) = measure_feet(world, FRAMES)
        ((_, (measures,)),) = world.query(FootMeasures)
        acceleration, skate, gap = witness.expected()
        assert min(len(gap), len(skate), len(acceleration)) > FRAMES / 2
        for own, right in (("acceleration", acceleration), ("skate", skate), ("gap", gap)):
            seen = np.sort(np.concatenate(getattr(measures.samples, own)))
            np.testing.assert_allclose(seen, np.sort(right), rtol=1e-4, atol=2e-3)
    assert found["planted_samples"] == len(gap)
    assert len(set(np.concatenate(people.ids))) > FRAMES / 2, "many came"


def test_standing_people_stand_while_others_come_and_go():
    with watched(STANDING, []) as world:
        (calm,) = measure_feet(world, FRAMES)
    with watched(STANDING, [(ComeAndGo(), "before", "timeline")]) as world:
        (busy,) = measure_feet(world, FRAMES)
    assert busy["skate_p95"] == pytest.approx(calm["skate_p95"], abs=0.01)
    assert busy["ankle_acceleration_p99"] < 3 * calm["ankle_acceleration_p99"] + 5


def test_a_crowd_that_empties_counts_as_far_as_it_was_seen():
    with watched(STANDING, []) as world:
        people = ea.crowd(world, "people")
        (some,) = measure_feet(world, 10, lambda _: people.remove([0]) if people.actor_count else None)
        assert people.actor_count == 0
    assert some["planted_samples"] == sum(range(1, 10)) * 4
    with watched(STANDING, []) as world:
        ea.crowd(world, "people").remove(slice(None))
        (nobody,) = measure_feet(world, 3)
    assert nobody["planted_samples"] == nobody["knees_backward"] == 0
    assert nobody["skate_median"] is nobody["ankle_acceleration_max"] is None


def test_crowds_of_one_name_are_told_apart():
    second = STANDING.partition("[[crowds]]")[2].replace("count = 9", "count = 2")
    with watched(f"{STANDING}[[crowds]]{second}", []) as world:
        one, other = measure_feet(world, 5)
    assert (one["crowd"], other["crowd"]) == ("people", "people")
    assert (one["planted_samples"], other["planted_samples"]) == (9 * 5 * 4, 2 * 5 * 4)


def test_figures_do_not_depend_on_threads():
    found = []
    for threads in (1, 3):
        scene = parse_scene(WALKING, "x.toml", Path())
        with load_scene(scene, actors=700, threads=threads, chunk_size=64) as world:
            watch_feet(world)
            measure_feet(world, 4)
            ((_, (measures,)),) = world.query(FootMeasures)
            found.append(figures(measures.samples))
    assert found[0] == found[1]


def test_a_step_that_takes_no_time_is_no_step():
    """A step with dt = 0 poses the actors, but no actor moves. The next step is compared with the one before."""
    with watched(WALKING, []) as world:
        for dt in (DT, 0.0, DT, 0.0, DT):
            world.step(dt)
        ((_, (measures, _)),) = world.query(FootMeasures, Grounding)
        assert (measures.steps == 3).all()
        assert [len(batch) for batch in measures.samples.acceleration] == [0, 0, 18]
        assert 0.1 < np.concatenate(measures.samples.acceleration).max() < 200
