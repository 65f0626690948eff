"""Files that people name: what is no regular file of a sensible size is told at once, in one line."""

import os
import socket
import subprocess
import sys
import tracemalloc

import pytest

from ecs_anim.errors import InputError
from ecs_anim.files import Kind, MissingFile, opened, read_bytes, read_text

NOTE = Kind("note", 1000)
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"

needs_devices = pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no such devices")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def refusal(path, kind=NOTE):
    """The one line that is told of a file."""
    with pytest.raises(InputError) as refused:
        read_bytes(path, kind)
    line = str(refused.value)
    assert line.startswith(f"{path}: cannot read the {kind.name}: ")
    assert "\n" not in line
    return line


@pytest.mark.parametrize("data", [b"", b"1", bytes(range(250)) * 4, POINTER[:-100], b" " + POINTER])
def test_a_regular_file_is_read_to_the_byte(tmp_path, data):
    path = tmp_path / "note"
    path.write_bytes(data)
    assert read_bytes(path, NOTE) == data
    with opened(path, NOTE) as file:
        assert (file.size, file.stream.tell()) == (len(data), 0)
        assert (file.first(4), file.first(4), file.whole()) == (data[:4], data[:4], data)


def test_a_link_is_followed(tmp_path):
    (tmp_path / "note").write_bytes(b"here")
    (tmp_path / "link").symlink_to("note")
    assert read_bytes(tmp_path / "link", NOTE) == b"here"


def test_text_has_no_byte_order_mark_and_is_utf_8(tmp_path):
    path = tmp_path / "note"
    path.write_text("höher", "utf-8-sig")
    assert read_text(path, NOTE) == "höher"
    path.write_bytes(b"hi\xff")
    with pytest.raises(InputError, match=r"note: cannot read the note: it is not UTF-8 text \(byte 2\)"):
        read_text(path, NOTE)


def test_what_is_not_there_is_an_error_of_its_own(tmp_path):
    (tmp_path / "note").write_bytes(b"")
    (tmp_path / "link").symlink_to("gone")
    for path in (tmp_path / "gone", tmp_path / "link", tmp_path / "note" / "x"):
        assert refusal(path).endswith("there is no such file")
        with pytest.raises(MissingFile):
            read_bytes(path, NOTE)


def test_names_that_no_file_can_have(tmp_path):
    for name in ("a\0b", "\ud800"):
        assert refusal(tmp_path / name).endswith("no file can have this name")
    assert "too long" in refusal(tmp_path / ("a" * 300))
    (tmp_path / "loop").symlink_to("loop")
    assert "symbolic links" in refusal(tmp_path / "loop")


def test_a_folder_is_told(tmp_path):
    assert "it is a folder, and only regular files are read" in refusal(tmp_path)


@needs_pipes
def test_nobody_waits_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "it is a pipe" in refusal(tmp_path / "pipe")


@needs_pipes
def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path, monkeypatch):
    path, look = tmp_path / "note", os.stat
    path.write_bytes(b"here")

    def look_and_replace(*arguments, **options):
        status = look(*arguments, **options)
        if arguments[0] is path:
            path.unlink()
            os.mkfifo(path)
        return status

    monkeypatch.setattr(os, "stat", look_and_replace)
    assert "it is a pipe" in refusal(path)


@needs_devices
def test_devices_are_not_read():
    for name in ("/dev/zero", "/dev/null", "/dev/full"):
        assert "it is a device" in refusal(name)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no such sockets")
def test_a_socket_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path has at most a hundred characters
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("note")
        assert "it is a socket" in refusal("note")


@needs_devices
def test_standard_input_is_a_file_or_refused(tmp_path):
    code = (
        "from ecs_anim.files import *; from pathlib import Path; print(read_bytes(Path('/dev/stdin'), Kind('note', 9)))"
    )
    told = subprocess.run([sys.executable, "-c", code], input=b"here", capture_output=True, timeout=60, check=False)
    assert b"/dev/stdin: cannot read the note: it is a pipe" in told.stderr
    (tmp_path / "note").write_bytes(b"here")
    with (tmp_path / "note").open("rb") as file:
        assert subprocess.check_output([sys.executable, "-c", code], stdin=file, timeout=60) == b"b'here'\n"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has other users")
def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "note"
    path.write_bytes(b"here")
    path.chmod(0)
    user = os.geteuid()
    if user == 0:  # to whom nothing is forbidden
        os.seteuid(65534)
    try:
        assert refusal(path).endswith("Permission denied")
    finally:
        os.seteuid(user)


def test_a_file_larger_than_its_kind_takes_no_memory(tmp_path, monkeypatch):
    path = tmp_path / "note"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    tracemalloc.start()
    line = refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e6
    assert "it has 1,099,511,627,776 bytes, where 1,000 are the limit" in line
    assert line.endswith("raise all limits: ECS_ANIM_LIMITS=1099511628")
    path.write_bytes(bytes(1001))
    assert refusal(path).endswith("ECS_ANIM_LIMITS=2")
    monkeypatch.setenv("ECS_ANIM_LIMITS", "2")
    assert read_bytes(path, NOTE) == bytes(1001)
    path.write_bytes(bytes(2001))
    assert "where 2,000 are the limit" in refusal(path)
    assert refusal(path).endswith("ECS_ANIM_LIMITS=3")


@pytest.mark.parametrize("factor", ["", "0", "-1", "1.5", "nan", "many", "9" * 20, "²"])
def test_a_factor_that_is_no_number_is_told(tmp_path, monkeypatch, factor):
    (tmp_path / "note").write_bytes(b"here")
    monkeypatch.setenv("ECS_ANIM_LIMITS", factor)
    with pytest.raises(InputError, match="ECS_ANIM_LIMITS=.*: should be a whole number, such as 4"):
        read_bytes(tmp_path / "note", NOTE)


def test_what_git_lfs_leaves_in_the_place_of_a_file_is_told(tmp_path):
    (tmp_path / "note").write_bytes(POINTER)
    assert refusal(tmp_path / "note").endswith("fetch the file: git lfs pull")


@pytest.mark.parametrize("size", [3, 5, 0])
def test_a_file_that_changes_while_it_is_read_is_told(tmp_path, size):
    path = tmp_path / "note"
    path.write_bytes(b"here")

    def change_and_read():
        with opened(path, NOTE) as file:
            os.truncate(path, size)
            file.whole()

    with pytest.raises(InputError, match="note: cannot read the note: it changed while it was read"):
        change_and_read()


def test_what_memory_cannot_hold_is_told(tmp_path):
    (tmp_path / "note").write_bytes(b"")

    def fill_memory():
        with opened(tmp_path / "note", NOTE):
            bytearray(1 << 62)

    with pytest.raises(InputError, match="it does not fit into the memory that is left"):
        fill_memory()


def test_errors_of_the_reader_are_its_own(tmp_path):
    (tmp_path / "note").write_bytes(b"")

    def fail():
        with opened(tmp_path / "note", NOTE):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fail()
