"""Simulations drive bodies: scripted ones, whose positions are known, and JuPedSim's own where it is installed."""

import numpy as np
import pytest
import shapely

import ecs_anim as ea
from ecs_anim.systems.queries import stage_of
from tests.helpers import EXHAUSTIVE
from tests.helpers.body import Watch, footwork

HALL = [(0.0, 0.0), (20.0, 0.0), (20.0, 6.0), (0.0, 6.0)]
DOORS = "POLYGON ((0 0, 8 0, 8 2.4, 8.4 2.4, 8.4 0, 14 0, 14 6, 8.4 6, 8.4 3.6, 8 3.6, 8 6, 0 6, 0 0))"
SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 3
"""
DT = 1 / 60  # [s]


class Agent:
    def __init__(self, number, position, orientation):
        self.id, self.position, self.orientation = number, position, orientation


class Area:
    def __init__(self, corners):
        self._corners = corners

    def boundary(self):
        return self._corners

    def as_wkt(self):
        return shapely.Polygon(self._corners).wkt


class Scripted:
    """A simulation whose agents are where `paths` say, by their ids: (x, y) at a step, None where they are not."""

    def __init__(self, paths, dt=0.05, begun=0):
        self.paths, self.dt, self.count, self.corners = paths, dt, begun, HALL

    def agents(self):
        found = [(number, path(self.count)) for number, path in self.paths.items()]
        return [Agent(number, xy, (0.0, 1.0)) for number, xy in reversed(found) if xy is not None]

    def elapsed_time(self):
        return self.count * self.dt

    def get_geometry(self):
        return Area(self.corners)

    def iterate(self, count=1):
        self.count += count


def positions(world):
    """Plan points by ids."""
    people = ea.crowd(world, "people")
    return {int(i): (x, y) for i, (x, y) in zip(people.ids, people.positions, strict=True)}


@pytest.mark.parametrize("dt", [0.05, 0.01, 0.1, DT, 0.013])
@pytest.mark.parametrize("begun", [0, 60])
@EXHAUSTIVE
def test_roots_are_where_agents_are_at_the_time(dt, begun):
    """On straight ways between the simulation's steps: numpy's own interpolation."""
    rng = np.random.default_rng(2)
    tracks = {n: np.cumsum(rng.normal(0.9, 0.3, (400, 2)) * dt, axis=0) + n for n in (9, 4, 17)}
    simulation = Scripted({n: lambda k, n=n: tuple(tracks[n][k]) for n in tracks}, dt, begun)
    with ea.jupedsim.world_of(simulation, threads=1) as world:
        own = dict(zip(sorted(tracks), sorted(positions(world)), strict=True))
        for _ in range(90):
            world.step(DT, posed=False)
            at, found = world.time / dt + begun, positions(world)
            assert -1e-6 < simulation.count - at < 1  # no further ahead than it has to be
            for n, track in tracks.items():
                wanted = [np.interp(at, np.arange(400), track[:, axis]) for axis in (0, 1)]
                np.testing.assert_allclose(found[own[n]], wanted, atol=2e-5)


def test_people_come_and_go_with_agents():
    paths = {
        1: lambda k: (1.0 + 0.05 * k, 1.0),
        2: lambda k: (1.0 + 0.05 * k, 2.0) if 10 <= k < 30 else None,
        3: lambda k: (5.0, 3.0) if k < 20 else None,
    }
    simulation = Scripted(paths)
    with ea.jupedsim.world_of(simulation, threads=1) as world:
        seen = []
        for _ in range(120):
            world.step(DT)
            seen.append((simulation.count, {round(y) for _, y in positions(world).values()}))
    for count, rows in seen:
        assert rows == {1} | ({2} if 10 <= count < 30 else set()) | ({3} if count < 20 else set())


def test_an_empty_simulation_is_an_empty_world():
    there = [False]
    with ea.jupedsim.world_of(Scripted({5: lambda k: (2.0, 2.0) if there[0] else None}), threads=1) as world:
        world.step(DT)
        assert ea.crowd(world, "people").actor_count == 0
        there[0] = True
        for _ in range(6):
            world.step(DT)
        assert list(positions(world).values()) == [pytest.approx((2.0, 2.0))]
        assert ea.crowd(world, "people").headings == pytest.approx(np.pi / 2, abs=1e-5)


def test_what_each_does_is_done_before_every_step():
    counts = []
    simulation = Scripted({})
    with ea.jupedsim.world_of(simulation, each=lambda own: counts.append(own.count), threads=1) as world:
        world.skip(60, DT)
    assert counts == list(range(20))


def test_walls_are_the_geometry_s_also_when_it_changes():
    simulation = Scripted({1: lambda k: (1.0, 1.0)})
    with ea.jupedsim.world_of(simulation, threads=1) as world:
        (area,) = stage_of(world).walls.walkable
        assert shapely.Polygon(area.exterior).equals(shapely.Polygon(HALL))
        before = stage_of(world).walls
        world.step(DT)
        assert stage_of(world).walls is before
        simulation.corners = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0)]
        world.step(DT)
        (area,) = stage_of(world).walls.walkable
        assert shapely.Polygon(area.exterior).equals(shapely.Polygon(simulation.corners))


def test_walls_of_the_scene_stay():
    text = 'walls = { wkt = "POLYGON ((-5 -5, 5 -5, 5 5, -5 5, -5 -5))" }\n' + SCENE + "body = {}\n"
    system = ea.jupedsim.FollowSimulation(Scripted({}))
    with ea.load_scene(text, systems=[(system, "before", "chunks")], threads=1) as world:
        world.step(DT)
        assert stage_of(world).walls.walkable[0].exterior.min() == -5


def test_mistakes_are_told():
    with pytest.raises(TypeError, match=r"simulation must be a jupedsim\.Simulation \(got 3\)"):
        ea.jupedsim.world_of(3)
    system = ea.jupedsim.FollowSimulation(Scripted({}))
    with pytest.raises(ea.InputError, match="'people' must have a walking body. Add body"):
        ea.load_scene(SCENE + 'clips = [{ name = "walk" }]\n', systems=[(system, "before", "chunks")])
    other = ea.jupedsim.FollowSimulation(Scripted({}), "visitors")
    with pytest.raises(ea.InputError, match="no crowd 'visitors'"):
        ea.load_scene(SCENE + "body = {}\n", systems=[(other, "before", "chunks")])


def test_what_walks_is_written_with_its_geometry(tmp_path):
    simulation = Scripted({1: lambda k: (1.0 + 0.05 * k, 1.0), 2: lambda k: (1.0, 2.0) if k < 15 else None})
    with ea.jupedsim.world_of(simulation, threads=1) as world, ea.save_trajectories(world, tmp_path / "x.sqlite"):
        world.skip(60, DT)
    from ecs_anim.trajectories import recording

    found = recording(tmp_path / "x.sqlite")
    people = found.whole()
    assert len(people.ids) == 2
    first = people.xy[: people.starts[1]]
    np.testing.assert_allclose(first, [(1 + k / 10, 1.0) for k in range(11)], atol=1e-6)
    assert shapely.from_wkt(found.walls[0].wkt).equals(shapely.Polygon(HALL))


def real_simulation(jps, model, agent, people=12, dt=0.05):
    simulation = jps.Simulation(model=model(), geometry=DOORS, dt=dt)
    door = simulation.add_exit_stage([(13, 0), (14, 0), (14, 6), (13, 6)])
    journey = simulation.add_journey(jps.JourneyDescription([door]))
    places = [(x, y) for x in range(1, 7) for y in range(1, 6)][-people:]
    for position in places:
        simulation.add_agent(agent(journey_id=journey, stage_id=door, position=position))
    return simulation


@EXHAUSTIVE
@pytest.mark.parametrize("name", ["AnticipationVelocityModel", "CollisionFreeSpeedModel"])
def test_bodies_follow_jupedsim(name):
    """Through a door and out: all agents have actors where they are, and feet that stand do not slide."""
    jps = pytest.importorskip("jupedsim", reason="JuPedSim, whose simulations are followed, is not installed")
    simulation = real_simulation(jps, getattr(jps, name), getattr(jps, f"{name}AgentParameters"))
    watch = Watch()
    follow = ea.jupedsim.FollowSimulation(simulation)
    systems = [(follow, "before", "chunks"), (watch, "after", "step_feet")]
    with ea.load_scene(SCENE + "body = {}\n", systems=systems, threads=1) as world:
        counts = []
        for step in range(1, 1501):
            if simulation.agent_count() == 12:
                world.step(DT)
            else:
                world.step(DT, posed=False)
            counts.append(simulation.agent_count())
            if step % 3 == 0 and counts[-1]:  # the simulation's steps and the world's end together
                wanted = np.array(sorted(agent.position for agent in simulation.agents()))
                got = np.array(sorted(positions(world).values()))
                np.testing.assert_allclose(got, wanted, atol=1e-5)
            assert ea.crowd(world, "people").actor_count == counts[-1]
            if not counts[-1]:
                break
    assert (counts[0], counts[-1]) == (12, 0)
    watch.frames = [frame for frame in watch.frames if len(frame[0]) == 12]
    did = footwork(watch, 0.5)
    assert len(did.slides) > 50
    stays = did.slides < 1  # agents start and stop within a step: here and there a leg cannot reach for a moment
    assert stays.mean() > 0.85  # one model draws lots: 0.88 to 0.94 in ten processes
    assert np.percentile(did.slides[stays], 95) < 2e-3
    assert did.stretch < 1.0


def test_doors_of_jupedsim_open():
    """What `switch_geometry` makes is seen, and who is let in by `each` walks."""
    jps = pytest.importorskip("jupedsim", reason="JuPedSim, whose simulations are followed, is not installed")
    simulation = real_simulation(
        jps, jps.CollisionFreeSpeedModel, jps.CollisionFreeSpeedModelAgentParameters, people=2, dt=0.01
    )
    wide = "POLYGON ((0 0, 14 0, 14 6, 0 6, 0 0))"

    def open_door(own):
        if own.iteration_count() == 50:
            own.switch_geometry(wide)

    with ea.jupedsim.world_of(simulation, each=open_door, threads=1) as world:
        areas = []
        for _ in range(60):
            world.step(DT, posed=False)
            areas.append(sum(shapely.Polygon(own.exterior).area for own in stage_of(world).walls.walkable))
    assert areas[0] == pytest.approx(shapely.from_wkt(DOORS).area, rel=1e-5)
    assert areas[-1] == pytest.approx(84.0)
    assert areas.index(areas[-1]) in (29, 30, 31)
