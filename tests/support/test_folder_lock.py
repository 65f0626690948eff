"""Locks of folders: one process at a time, freed by every end of the process, kill -9 included."""

import os
import signal
import subprocess
import sys

import pytest

import ecs_anim as ea
from ecs_anim.support.folder_lock import LOCK, folder_locked

HOLD = """
import sys, time
from pathlib import Path
from ecs_anim.support.folder_lock import folder_locked
with folder_locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(100)
"""


@pytest.fixture(name="holder")
def holder_fixture(tmp_path):
    """A process that holds the folder's lock."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_refused_and_learns_which_one_holds_the_folder(tmp_path, holder):
    with pytest.raises(ea.InputError, match=rf"another process {holder.pid} on .* is writing into this folder"):
        folder_locked(tmp_path).__enter__()


def test_the_lock_of_a_killed_process_is_free(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert (tmp_path / LOCK).exists()
    with folder_locked(tmp_path):
        assert (tmp_path / LOCK).read_text().startswith(f"process {os.getpid()} on ")
    assert not (tmp_path / LOCK).exists()


def test_a_file_that_says_something_else_is_not_quoted(tmp_path, holder):
    (tmp_path / LOCK).write_text("swordfish")
    with pytest.raises(ea.InputError) as told:
        folder_locked(tmp_path).__enter__()
    assert "swordfish" not in str(told.value)
    assert "another process is writing" in str(told.value)


def test_the_lock_ends_with_an_error_of_the_block(tmp_path):
    with pytest.raises(KeyError), folder_locked(tmp_path):
        raise KeyError
    with folder_locked(tmp_path):
        pass


def test_a_second_data_set_and_a_second_farm_are_refused(tmp_path, holder):
    job = {"scene": "single", "ranges": {"frames": [0, 1]}, "make": {"measures": ["density"]}}
    for write in (
        lambda: ea.save_dataset("single", tmp_path, frames=[0], size=(16, 9), passes=["ids"]),
        lambda: ea.farm.run(job, tmp_path, workers=1),
    ):
        with pytest.raises(ea.InputError, match="another process"):
            write()


def test_a_data_set_that_cannot_be_leaves_no_folder(tmp_path):
    scene = {"rigs": {"a": {"model": "nowhere.glb"}}, "crowds": [{"rig": "a"}]}
    with pytest.raises(ea.InputError):
        ea.save_dataset(scene, tmp_path / "out", frames=[0])
    assert not (tmp_path / "out").exists()
