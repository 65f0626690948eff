"""Damaged files of trajectories in every format, changed in their bytes or in their words.

A case is a number, and draws everything else from it: the format, the mishap, and the place.
"""

import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.trajectories import ReadOptions, read_walls, recording, report, roots
from tests.builders.trajectory_files import FORMATS, wanderers
from tests.hostile.mutations import damaged

ISO = "id,time,x_m,y_m\n" + "".join(
    f"ped-{k % 3},2024-05-01T12:00:{k // 3:02}.5Z,{k / 10},{k % 3}\n" for k in range(90)
)
DECIMAL_COMMAS = "id;frame;x_m;y_m\n" + "".join(f"{k % 3};{k // 3};{k // 3},{k % 10};{k % 3},5\n" for k in range(90))
QUOTED = 'id,frame,x_m,y_m,"note"\n' + "".join(f'{k % 3},{k // 3},{k / 30},{k % 3},"a, ""b"""\n' for k in range(90))
GEOMETRY = (
    '<?xml version="1.0" encoding="{}"?><geometry unit="cm"><room><polygon><vertex px="0" py="0"/>'
    '<vertex px="8" py="0"/><vertex px="8" py="8"/></polygon></room></geometry>'
)
TEXTS = {
    "iso times": ISO.encode(),
    "decimal commas": DECIMAL_COMMAS.encode(),
    "quoted": QUOTED.encode(),
    "geometry": GEOMETRY.format("utf-8").encode(),
    "geometry in UTF-16": GEOMETRY.format("utf-16").encode("utf-16"),
}
NAMES = (*FORMATS, *TEXTS)
BINARY = ("sqlite1", "sqlite2", "sqlite3", "hdf5", "parquet", "geometry in UTF-16")
SCRAPS = ("", '"', '""', "'", ",", ";", "\t", "#", "\r", "\n", "\0", "\x1b[2J", "\u2028", "\ufeff", "\ud800", "{", "<!")
SCRAPS += ("nan", "inf", "-1e308", "1e308", "1e-320", "1e999", "-0", "1_0", "0x1", "\u0663", "1,5", "9" * 20, "9" * 400)
SCRAPS += (
    "9223372036854775807",
    "-9223372036854775809",
    "9007199254740993",
    "2024-01-01T00:00:00",
    "id",
    "x_m",
    "true",
)
NUMBERS = (
    "0",
    "1",
    "2",
    "7",
    "-3",
    "0.5",
    "-0.25",
    "1e-9",
    "3.0000001",
    "16385",
    "-1e5",
    "1e9",
    "1000000",
    "4294967296",
)
LONG = ("1" * 40_000, " 1" * 40_000, '"' * 40_000, "[" * 40_000, "#" + "a" * 40_000)


@cache
def sound(name: str) -> bytes:
    """A file that can be read."""
    if name in TEXTS:
        return TEXTS[name]
    with tempfile.TemporaryDirectory() as folder:
        own = FORMATS[name]
        own.write(Path(folder) / "x", wanderers(np.random.default_rng(0), 4, 30, stride=own.stride))
        return (Path(folder) / "x").read_bytes()


def forge(number: int) -> bytes:
    """The file of case `number` after its mishaps."""
    chance, name = Random(number), NAMES[number % len(NAMES)]
    data = sound(name)
    if name in BINARY or chance.random() < 0.3:
        for _ in range(chance.choice((1, 1, 4))):
            data = damaged(data, chance) or b"\0"
        return data
    return _reworded(data.decode("utf-8"), chance).encode("utf-8", "surrogatepass")


def _reworded(text: str, chance: Random) -> str:
    """The text with scraps or numbers in place of words, or with lines doubled, dropped or swapped."""
    sign = chance.choice((",", " ", "\t", ";", "\n", "\n", "e", '"'))
    words = text.split(sign)
    for _ in range(chance.choice((1, 1, 3, 10))):
        at, other = chance.randrange(len(words)), chance.randrange(len(words))
        match chance.choice(("scrap", "number", "number", "double", "drop", "swap", "long")):
            case "scrap":
                words[at] = chance.choice(SCRAPS)
            case "number":
                words[at] = chance.choice(NUMBERS)
            case "double":
                words.insert(other, words[at])
            case "drop" if len(words) > 1:
                del words[at]
            case "swap":
                words[at], words[other] = words[other], words[at]
            case "long" if chance.random() < 0.2:
                words[at] = chance.choice(LONG)
    return sign.join(words)


def attempt(number: int) -> str:
    """How case `number` ends: refused in one line, or finite positions. Raises whatever else comes of it."""
    name = NAMES[number % len(NAMES)]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", InputWarning)
        path = Path(folder) / "x"
        path.write_bytes(forge(number))
        try:
            _read(path, name)
        except InputError as error:
            line = str(error)
            assert line.isprintable()
            assert line.startswith(f"{path}: "), line
            assert len(line) < 1000, line[:1000]
            return f"{name}: refused"
    return f"{name}: accepted"


def _read(path: Path, name: str) -> None:
    if name.startswith("geometry"):
        assert "nan" not in read_walls(path).wkt
        return
    own = recording(path, ReadOptions("m", 25.0))
    whole = own.whole()
    assert np.isfinite(whole.times).all()
    assert (np.isfinite(whole.xy).all(axis=1) | np.isnan(whole.xy).all(axis=1)).all()
    found = report(own)
    assert found.samples == whole.sample_count
    with suppress(InputError):  # paths of few samples have no roots
        assert np.isfinite(roots(whole).velocity).all()
