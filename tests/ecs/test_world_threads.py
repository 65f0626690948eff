"""Worlds on several threads, in forked and in spawned processes."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from tests.helpers import EXHAUSTIVE, FEW

SECONDS = 60
ACTORS = FEW or 300
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
forks = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def load():
    return load_scene("throng", actors=ACTORS, threads=2, chunk_size=16)


def gone_on(world, frames=6):
    """Return the hash of a world's poses after more steps."""
    for _ in range(frames):
        world.step(1 / 60)
    return poses_hash(world)


def told_by_a_fork(act):
    """Return the result of a forked process. Fails instead of waiting for ever."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(SECONDS)
            os.write(writer, str(act()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read().decode()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return text


@needs_fork
@forks
def test_a_fork_goes_on_as_the_world_does():
    with load() as world:
        gone_on(world, 2)
        theirs = told_by_a_fork(lambda: gone_on(world))
        assert theirs == told_by_a_fork(lambda: (world.step(0.0), gone_on(world))[1]) == gone_on(world)
        assert told_by_a_fork(lambda: (world.close(), world.close(), "closed")[2]) == "closed"


@needs_fork
@forks
def test_a_forked_process_may_have_worlds_of_its_own():
    with load() as world:
        gone_on(world, 2)
        context = multiprocessing.get_context("fork")
        with context.Pool(2) as pool:
            results = [pool.apply_async(loaded_and_gone_on) for _ in range(2)]
            assert {result.get(SECONDS) for result in results} == {loaded_and_gone_on()}


def loaded_and_gone_on():
    with load() as world:
        return gone_on(world)


@EXHAUSTIVE
def test_a_spawned_process_finds_the_same():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply_async(loaded_and_gone_on).get(2 * SECONDS) == loaded_and_gone_on()


def test_a_world_that_is_sent_to_another_process_says_how_to(tmp_path):
    with load() as world, pytest.raises(TypeError, match=r"cannot be pickled.*world.save\(path\)"):
        pickle.dumps(world)


@needs_fork
@forks
def test_a_fork_in_the_midst_of_a_step_does_not_wait():
    """The thread that steps is not in the forked process: that one must not wait for it to end."""
    begun, done = threading.Event(), threading.Event()

    class Slow:
        name = "slow"

        def run(self, world, dt):
            if dt:
                begun.set()
                assert done.wait(SECONDS)

    with load_scene("single", threads=2, systems=[(Slow(), "before", "chunks")]) as world:
        stepping = threading.Thread(target=world.step, args=(1 / 60,))
        stepping.start()
        assert begun.wait(SECONDS)

        def refused():
            try:
                world.step(1 / 60)
            except RuntimeError as error:
                return error

        told = [told_by_a_fork(refused), str(refused())]
        done.set()
        stepping.join(SECONDS)
        assert told == ["another thread is stepping this world. Use one thread only, or load another world"] * 2
        world.step(0.0)
        assert world.frame == 1


class NoSchedule:
    threads = 1

    def run(self, world, dt, timings):
        pass

    def close(self):
        pass


def test_worlds_on_threads_do_not_see_each_other():
    """Each thread asks its own world again and again, while the others make theirs the active one."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:

        def seen(number):
            with World(NoSchedule()) as world:
                entity = world.create(Crowd(str(number), number))
                found = set()
                for _ in range(3000):
                    found |= {own.name for _, (own,) in world.query(Crowd)}
                    found.add(world.get(entity, Crowd).name)
                return found

        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(seen, range(4))) == [{str(number)} for number in range(4)]
    finally:
        sys.setswitchinterval(interval)


def test_worlds_stepped_at_once_are_as_those_stepped_alone():
    alone = loaded_and_gone_on()
    with ThreadPoolExecutor(3) as threads:
        assert set(threads.map(lambda _: loaded_and_gone_on(), range(3))) == {alone}


DRAW_AND_FORK = """
import os, signal, sys
from ecs_anim.support.errors import InputError
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.drawing import DrawWorld
world, context = load_scene("single", threads=1), open_headless()
renderer = Renderer(context)
target, drawing = renderer.target(32, 24), DrawWorld(renderer)
drawing.draw(world, target)
before = target.read_pixels().tobytes()
child = os.fork()
if child == 0:
    signal.alarm(30)
    for act in (lambda: drawing.draw(world, target), open_headless):
        try:
            act()
            print("drawn")
        except InputError as error:
            print(error)
    sys.exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
drawing.draw(world, target)
assert target.read_pixels().tobytes() == before
print("the first one still draws")
"""


@needs_fork
@EXHAUSTIVE
def test_a_fork_of_a_process_that_draws_says_that_it_cannot():
    """It neither waits for threads of the driver that it does not have, nor as it ends."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", DRAW_AND_FORK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *child, last = done.stdout.splitlines()
    assert last == "the first one still draws"
    assert len(child) == 2
    assert all("forked from a process that draws" in line for line in child)
