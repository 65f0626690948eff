"""Forged snapshots: saved worlds of which something was changed, with a digest that is right again.

A case is a number, and draws all else from it: the scene, what is changed, how. Arrays are changed in turn, so that
many cases reach each of them.
"""

import atexit
import io
import itertools
import json
import shutil
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import ecs_anim as ea
from ecs_anim.ecs.snapshot_file import digest_of
from ecs_anim.scenes.loader import SceneFile, parse_scene, read_scene
from ecs_anim.support.errors import InputError

ACTORS, STEPS = 7, 3
HYBRID = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
name = "people"
path = "auto"
near_actors = { count = 3 }
count = 7
layout = { kind = "scatter", radius = 6.0 }
locomotion = {}
clips = [{ name = "walk" }, { name = "wave" }]
[[timeline]]
at_seconds = 0.02
every_seconds = 0.05
fade_to = ["wave"]
"""
SCENES = ("throng", "controllers", "hills", "look_at", "ik_chains", "morph", "crossfade", "hybrid", "materials")
FEW_SCENES = ("throng", "controllers", "hybrid")

INTEGERS = (-1, -2, 2, 7, 127, 2**15, 2**31 - 1, -(2**31), 2**30)
FLOATS = (np.nan, np.inf, -np.inf, -1.0, 2.0, 1e9, -1e9, 1e10, 3.4e38, -3.4e38, 1e-45, 0.0)
STRANGE = [
    None, True, -1, 0, 1, 2, 3, 2**31, 2**63, 2**64, 10**400, 0.5, -0.5, -1e308, 1e39, float("nan"), float("inf"),
    "", "x", "\0", "\x1b[2J", "linear", "dual_quaternion", "MT19937", [], [0], [[]], [None], {}, {"a": 1},
]  # fmt: skip
DTYPES = ("f8", "f2", ">f4", ">i4", "i8", "u4", "i1", "c8", "U3", "M8[s]", "?", [("a", "f4"), ("b", "f4")])


@dataclass
class Snapshot:
    """Contents of a snapshot file, open to forgery."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]

    def packed(self) -> bytes:
        """The file, with its digest made anew."""
        self.header.pop("digest", None)
        self.header["digest"] = digest_of(self.header, self.arrays)
        text = np.frombuffer(json.dumps(self.header).encode(), np.uint8)
        file = io.BytesIO()
        np.savez(file, header=text, **self.arrays)
        return file.getvalue()


_folder = Path()
_scenes: dict[str, SceneFile] = {}
_saved: dict[str, Path] = {}


def prepare() -> None:
    """Save a world of each scene and step it, so that all its kernels are loaded."""
    _prepare(SCENES)


def prepare_few() -> None:
    """Prepare a worker for `few_cases`."""
    _prepare(FEW_SCENES)


def few_cases(count: int) -> list[int]:
    """Return the first `count` cases that use a scene of `FEW_SCENES`."""
    return list(islice((case for case in itertools.count() if SCENES[case % len(SCENES)] in FEW_SCENES), count))


def _prepare(names: Iterable[str]) -> None:
    global _folder
    _folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    for name in names:
        scene = parse_scene(HYBRID, "hybrid.toml", _folder) if name == "hybrid" else read_scene(name)
        _scenes[name], _saved[name] = scene, _folder / f"{name}.npz"
        with ea.load_scene(scene, actors=ACTORS, threads=1) as world:
            _step(world, 9)
            if name == "throng":
                crowd = ea.crowd(world, "people")
                crowd.remove([1, 4])
                crowd.add(3)
                crowd.remove([2])
            world.save(_saved[name])
            _step(world, STEPS)


def attempt(case: int) -> str:
    """Load a forged file, and step the world that comes of it: "accepted" or "refused".

    Whatever it raises is a fault of the library: another error than one line, or a file that had to be refused.
    """
    rng = np.random.default_rng(case)
    name = SCENES[case % len(SCENES)]
    change = CHANGES[int(rng.integers(len(CHANGES)))]
    path = _folder / "forged.npz"
    must_refuse, data = change(read_forgeable(_saved[name]), case // len(SCENES), rng)
    path.write_bytes(data)
    scene = _another(_scenes, name) if change is other_scene else _scenes[name]
    told = load_and_step(path, scene)
    assert told or not must_refuse, f"{change.__name__} of {name} was taken"
    return f"{change.__name__} {'refused' if told else 'accepted'}"


def load_and_step(path: Path, scene: SceneFile | str) -> str:
    """Return the error of a file, in one line that names the file; "" if the world loads and steps."""
    try:
        world = ea.load_world(path, scene, threads=1)
    except InputError as error:
        told = str(error)
        assert told.startswith(str(path)), told
        assert told.isprintable(), told
        assert len(told) < len(str(path)) + 400, told
        return told
    with world:
        _step(world, STEPS)
    return ""


def _step(world: ea.World, steps: int) -> None:
    for _ in range(steps):
        world.step(1 / 60)


def read_forgeable(path: Path) -> Snapshot:
    """A saved world, as a forger reads it."""
    with np.load(path) as archive:
        arrays = {key: archive[key] for key in archive.files if key != "header"}
        return Snapshot(json.loads(archive["header"].tobytes()), arrays)


def _in_turn(snapshot: Snapshot, turn: int) -> str:
    names = sorted(snapshot.arrays)
    return names[turn % len(names)]


Changed = tuple[bool, bytes]  # whether every reader must refuse the file, and the file
Change = Callable[[Snapshot, int, np.random.Generator], Changed]


def values(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Some numbers of an array."""
    array = snapshot.arrays[_in_turn(snapshot, turn)]
    _spoil(array, rng)
    return False, snapshot.packed()


def many_values(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Some numbers of some arrays."""
    for name in rng.choice(sorted(snapshot.arrays), 3):
        _spoil(snapshot.arrays[name], rng)
    return False, snapshot.packed()


def noise(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """All bits of an array."""
    array = snapshot.arrays[_in_turn(snapshot, turn)]
    array.reshape(-1).view(np.uint8)[:] = rng.integers(256, size=array.nbytes)
    return False, snapshot.packed()


def shuffled(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Rows of an array, each still good."""
    rng.shuffle(snapshot.arrays[_in_turn(snapshot, turn)])
    return False, snapshot.packed()


def lowest(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """The least number of an array's type, or no number; what remembers feet may hold NaN."""
    name = _in_turn(snapshot, turn)
    array = snapshot.arrays[name]
    if not array.size:
        return False, snapshot.packed()
    if array.dtype == np.bool_:
        array.view(np.uint8)[:] = 2
    else:
        array[...] = np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).min
    may_be_nan = name.endswith(("state.pelvis", "state.trace", "state.tilt"))
    return not may_be_nan, snapshot.packed()


def dtype(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """The type of an array's numbers."""
    name = _in_turn(snapshot, turn)
    new = np.dtype(DTYPES[int(rng.integers(len(DTYPES)))])
    array = snapshot.arrays[name]
    snapshot.arrays[name] = np.zeros(array.shape, new)
    return new != array.dtype, snapshot.packed()


def shape(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """The shape of an array, by which it has more rows, fewer, or other axes."""
    name = _in_turn(snapshot, turn)
    array = snapshot.arrays[name]
    others = [
        np.concatenate([array, array[:1]]), array[:-1], array[:0], array[None], array[..., None], array.reshape(-1),
        array.T, np.repeat(array, 1000, axis=0), array[..., :0],
    ]  # fmt: skip
    new = snapshot.arrays[name] = np.ascontiguousarray(others[int(rng.integers(len(others)))])
    is_kept = name.endswith(("Palette.made", "Nearness.rows"))
    return new.shape != array.shape and not is_kept, snapshot.packed()


def actor_count(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """How many rows all columns have, together, with ids that are no actors'."""
    counts = [key for key in snapshot.header["values"] if key.endswith("actor_count")]
    key = counts[turn % len(counts)]
    old, new = snapshot.header["values"][key], int(rng.choice([0, 1, 3, 50, 3000]))
    entity = key.partition(".")[0] + "."
    for name, array in snapshot.arrays.items():
        if name.startswith(entity) and array.ndim and len(array) == old:
            snapshot.arrays[name] = np.ascontiguousarray(np.resize(array, (new, *array.shape[1:])))
    snapshot.header["values"][key] = new
    return False, snapshot.packed()


def fact(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Some places of the header: others, gone, or there in a list."""
    for _ in range(int(rng.integers(1, 3))):
        places = list(_places(snapshot.header))
        *way, key = places[int(rng.integers(len(places)))]
        owner: Any = snapshot.header
        for step in way:
            owner = owner[step]
        match rng.integers(6):
            case 0:
                del owner[key]
            case 1:
                owner[key] = [owner[key]]
            case _:
                owner[key] = STRANGE[int(rng.integers(len(STRANGE)))]
    return False, snapshot.packed()


def origin(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """How many actors the scene is to be loaded with."""
    snapshot.header["origin"]["actors"] = int(rng.choice([0, -1, 10**4, 10**7, 2**31, 2**62]))
    return True, snapshot.packed()


def clock(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Change the time and the frame."""
    snapshot.header["time"] = float(rng.choice([-1.0, 1e3, 1e9, 1e12, 1e300, np.nan, np.inf]))
    snapshot.header["frame"] = int(rng.choice([-1, 0, 2**31, 2**53, 2**62]))
    return False, snapshot.packed()


def names(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """The names of members: one is missing, one too many, one elsewhere."""
    name = _in_turn(snapshot, turn)
    match rng.integers(3):
        case 0:
            del snapshot.arrays[name]
        case 1:
            snapshot.arrays["/etc/passwd" if rng.integers(2) else "../../x"] = np.zeros(3)
        case _:
            snapshot.arrays[f"/{name}\x1b"] = snapshot.arrays.pop(name)
    return True, snapshot.packed()


def npy_header(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Change an array's description in numpy's file format."""
    name = _in_turn(snapshot, turn)
    array = snapshot.arrays[name]
    descr, order, lengths = repr(array.dtype.str), "False", repr(array.shape)
    text = [
        (descr, "True", "(2, 3)"), (descr, order, "(9223372036854775807,)"), (descr, order, "(4294967296, 4294967296)"),
        (descr, order, "(-1,)"), ("'|O'", order, lengths), ("'V0'", order, lengths), (descr, order, "None"),
        (descr, order, "(" * 3000), (descr, "__import__('os').abort()", lengths), ("'>f4'", order, lengths),
        (descr, order, f"({'1,' * 70})"), (descr, order, "('a',)"), ("'<f4x'", order, lengths), ("1is 2", order, "()"),
    ][int(rng.integers(14))]  # fmt: skip
    header = "{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n".format(*text)
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.tobytes()
    return True, _repacked(snapshot, {name: data})


def npy_length(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """How long the words are said to be."""
    name = _in_turn(snapshot, turn)
    version = bytes([int(rng.integers(0, 5)), int(rng.integers(0, 2))])
    data = b"\x93NUMPY" + version + struct.pack("<I", int(rng.choice([0, 1, 2**16, 2**31, 2**32 - 1]))) + b" " * 64
    return True, _repacked(snapshot, {name: data})


def compressed(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Members that are much longer once unpacked, or say so."""
    name, file = _in_turn(snapshot, turn), io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive, _unwarned():
        for key, data in _members(snapshot).items():
            archive.writestr(key, data)
        with archive.open("more.npy" if rng.integers(2) else f"{name}.npy", "w") as member:
            member.write(b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,), }")
            for _ in range(64):
                member.write(bytes(1 << 20))
    return True, file.getvalue()


def doubled(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Two members of one name, or of names that mean the same."""
    name, members = f"{_in_turn(snapshot, turn)}.npy", _members(snapshot)
    again = name.removesuffix(".npy") if rng.integers(2) else name
    return True, _zipped([*members.items(), (again, members[name])])


def directory(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Numbers of the archive's directory."""
    data = bytearray(snapshot.packed())
    start = data.rfind(b"PK\x05\x06") if rng.integers(2) else data.find(b"PK\x01\x02")
    for at in rng.integers(4, 40, 2):
        struct.pack_into("<H", data, min(start + int(at), len(data) - 2), int(rng.integers(2**16)))
    return False, bytes(data)


def long_directory(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """A hundred thousand names of the same bytes."""
    data = snapshot.packed()
    first, end = data.find(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    entry = data[first : data.find(b"PK\x01\x02", first + 4)]
    count = int(rng.choice([1000, 60_000, 200_000]))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count % 65536, count % 65536, len(entry) * count, first, 0)
    return True, data[:first] + entry * count + (tail if rng.integers(2) else data[end:])


def long_header(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """JSON that is deep, long, or of a number that never ends."""
    most = 10**6
    texts = [b"[" * most, b"[" + b"1" * most, b" " * (6 * most), b"[" + b"{}," * most + b"0]", b"\xff\xfe", b"[]", b"1"]
    header = io.BytesIO()
    np.save(header, np.frombuffer(texts[int(rng.integers(len(texts)))], np.uint8))
    return True, _repacked(snapshot, {"header": header.getvalue()})


def flipped(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Some bits anywhere."""
    data = bytearray(snapshot.packed())
    for at in rng.integers(len(data), size=int(rng.choice([1, 3, 40]))):
        data[at] ^= 1 << int(rng.integers(8))
    return False, bytes(data)


def cut(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """The end is missing, or the beginning."""
    data = snapshot.packed()
    at = int(rng.integers(1, len(data)))
    return True, data[:at] if rng.integers(2) else data[at:]


def no_archive(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Something else."""
    array = io.BytesIO()
    np.save(array, np.zeros(3))
    files = [b"", b"x", rng.bytes(5000), array.getvalue(), b"PK\x05\x06" + bytes(18), b"PK\x03\x04" + bytes(60)]
    return True, files[int(rng.integers(len(files)))]


def other_version(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """Change the kind or the format version."""
    key = "kind" if rng.integers(2) else "format"
    snapshot.header[key] = STRANGE[int(rng.integers(len(STRANGE)))]
    return snapshot.header[key] != 2, snapshot.packed()


def other_scene(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """A good file, for a world that it is not of."""
    return True, snapshot.packed()


def other_hash(snapshot: Snapshot, turn: int, rng: np.random.Generator) -> Changed:
    """A world of another scene, said to be of this one."""
    name = next(name for name, scene in _scenes.items() if scene.label == snapshot.header["origin"]["scene"])
    other = read_forgeable(_another(_saved, name))
    other.header["origin"] = snapshot.header["origin"]
    return True, other.packed()


def _another(known: dict[str, Any], name: str) -> Any:
    """Return the value under the name after this one."""
    names = list(known)
    return known[names[(names.index(name) + 1) % len(names)]]


OF_ARRAYS: tuple[Change, ...] = (values, many_values, noise, shuffled, lowest, dtype, shape, actor_count)
OF_HEADERS: tuple[Change, ...] = (fact, origin, clock, names, other_version, other_scene, other_hash)
OF_ARCHIVES: tuple[Change, ...] = (
    npy_header, npy_length, compressed, doubled, directory, long_directory, long_header, flipped, cut, no_archive,
)  # fmt: skip
CHANGES: tuple[Change, ...] = (*OF_ARRAYS * 4, fact, fact, *OF_HEADERS, *OF_ARCHIVES)


def _spoil(array: np.ndarray, rng: np.random.Generator) -> None:
    if not array.size:
        return
    flat = array.reshape(-1)
    places = rng.integers(flat.size, size=1) if rng.integers(2) else np.arange(flat.size)
    if array.dtype == np.bool_:
        flat.view(np.uint8)[places] = int(rng.choice([2, 128, 255]))
    elif array.dtype.kind == "f":
        flat[places] = FLOATS[int(rng.integers(len(FLOATS)))]
    else:
        flat[places] = INTEGERS[int(rng.integers(len(INTEGERS)))]


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON document but the whole."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _places(item, (*path, key))


def _members(snapshot: Snapshot) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(snapshot.packed())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _repacked(snapshot: Snapshot, changed: dict[str, bytes]) -> bytes:
    """The archive with other bytes as some of its members."""
    return _zipped((_members(snapshot) | {f"{name}.npy": data for name, data in changed.items()}).items())


@contextmanager
def _unwarned() -> Iterator[None]:
    """zipfile warns of two members of one name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _zipped(members: Iterable[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, _unwarned():
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()
