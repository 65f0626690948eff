"""Files of trajectories, written by code that shares nothing with the readers: csv, json, sqlite3, h5py, pyarrow."""

import csv
import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
from pyarrow import parquet

Sample = tuple[int, int, float, float]  # frame, id, x, y [m]
SQUARE = "POLYGON ((0 0, 8 0, 8 8, 0 8, 0 0))"


def wanderers(rng: np.random.Generator, people: int = 5, frames: int = 60, stride: int = 1) -> list[Sample]:
    """People who walk on at even speeds, and come and go at different times; by frame, then person."""
    found = []
    for person in range(people):
        start, count = int(rng.integers(0, frames // 2)), int(rng.integers(4, frames // 2))
        x, y = rng.uniform(-5, 5, 2)
        east, north = rng.uniform(0.01, 0.06, 2) * stride
        found += [
            (stride * (start + k), 3 * person + 1, float(x + k * east), float(y + k * north)) for k in range(count)
        ]
    return sorted(found)


def write_csv(path: Path, samples: Sequence[Sample], names: str = "id,frame,x_m,y_m", delimiter: str = ",") -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(names.split(","))
        writer.writerows([(person, frame, repr(x), repr(y)) for frame, person, x, y in samples])


def write_petrack(path: Path, samples: Sequence[Sample]) -> None:
    rows = [f"{i}\t{f}\t{x!r}\t{y!r}\t1.7" for f, i, x, y in sorted(samples, key=lambda own: (own[1], own[0]))]
    path.write_text("\n".join(["# PeTrack project: a.pet", "# framerate: 25 fps", "# id frame x/m y/m z/m", *rows, ""]))


def write_trajnet(path: Path, samples: Sequence[Sample]) -> None:
    path.write_text("".join(f"{f} {i} {x!r} {y!r}\n" for f, i, x, y in samples))


def write_ndjson(path: Path, samples: Sequence[Sample], fps: float | None = None) -> None:
    scene = {"scene": {"id": 0, "p": 1, "s": 0, "e": 9, "fps": fps, "tag": 0}}
    tracks = [{"track": {"f": f, "p": i, "x": x, "y": y}} for f, i, x, y in samples]
    path.write_text("".join(json.dumps(own) + "\n" for own in ([scene] if fps else []) + tracks))


def write_obsmat(path: Path, samples: Sequence[Sample], rate: float = 25.0) -> None:
    """With the velocities that the samples have at `rate` frames a second."""
    last: dict[int, Sample] = {}
    rows = []
    for own in reversed(samples):
        frame, person, x, y = own
        after = last.get(person)
        speed = (0.0, 0.0)
        if after:
            seconds = (after[0] - frame) / rate
            speed = ((after[2] - x) / seconds, (after[3] - y) / seconds)
        last[person] = own
        rows.append((frame, person, x, 0.0, y, speed[0], 0.0, speed[1]))
    path.write_text("".join("".join(f"{value:16.7e}" for value in row) + "\n" for row in reversed(rows)))


def write_vadere(path: Path, samples: Sequence[Sample]) -> None:
    """A footstep from each sample to the next, of 25 frames a second; rows by their beginnings."""
    rows = ["pedestrianId simTime endTime-PID1 startX-PID1 startY-PID1 endX-PID1 endY-PID1 targetId-PID2"]
    by_person = sorted(samples, key=lambda own: (own[1], own[0]))
    steps = [(a, b) for a, b in pairwise(by_person) if a[1] == b[1]]
    for a, b in sorted(steps):
        rows.append(f"{a[1]} {a[0] / 25!r} {b[0] / 25!r} {a[2]!r} {a[3]!r} {b[2]!r} {b[3]!r} 7")
    path.write_text("\n".join(rows) + "\n")


def write_pathfinder(path: Path, samples: Sequence[Sample]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["t", "id", "name", "active", "x", "y", "z", "v", "location", "last_goal_started"])
        writer.writerow(["s", "", "", "", "m", "m", "m", "m/s", "", ""])
        for frame, person, x, y in samples:
            writer.writerow([frame / 25, person, f"{person:05}", 1, x, y, 0.02, 0.0, "Room, the 7th", 0])


def write_sqlite(path: Path, samples: Sequence[Sample], version: int = 2, index: bool = True) -> None:
    """JuPedSim's schema of a version. Rows of the first half of all frames have one geometry, the others another."""
    with sqlite3.connect(path) as db:
        headings = ", ori_x REAL NOT NULL, ori_y REAL NOT NULL" if version < 3 else ""
        db.execute(
            "CREATE TABLE trajectory_data (frame INTEGER NOT NULL, id INTEGER NOT NULL, pos_x REAL NOT NULL,"
            f" pos_y REAL NOT NULL{headings})"
        )
        db.execute("CREATE TABLE metadata(key TEXT NOT NULL UNIQUE PRIMARY KEY, value TEXT NOT NULL)")
        db.executemany("INSERT INTO metadata VALUES (?, ?)", [("version", str(version)), ("fps", "25.0")])
        if version == 1:
            db.execute("CREATE TABLE geometry(wkt TEXT NOT NULL)")
            db.execute("INSERT INTO geometry VALUES (?)", (SQUARE,))
        else:
            db.execute("CREATE TABLE geometry(hash INTEGER NOT NULL, wkt TEXT NOT NULL)")
            db.executemany("INSERT INTO geometry VALUES (?, ?)", [(1, SQUARE), (2, SQUARE.replace("8", "9"))])
            db.execute("CREATE TABLE frame_data(frame INTEGER NOT NULL, geometry_hash INTEGER NOT NULL)")
            frames = range(max(own[0] for own in samples) + 1)
            db.executemany("INSERT INTO frame_data VALUES (?, ?)", [(k, 2 if 10 <= k < 20 else 1) for k in frames])
        for frame, person, x, y in samples:
            own = (frame, person, x, y) + ((0.0, 2.0) if version < 3 else ())
            db.execute(f"INSERT INTO trajectory_data VALUES ({', '.join('?' * len(own))})", own)
        if index:
            db.execute("CREATE INDEX frame_id_idx ON trajectory_data(frame, id)")
    db.close()


def write_hdf5(path: Path, samples: Sequence[Sample], fps: float | None = 25.0) -> None:
    kind = np.dtype([("id", "<i8"), ("frame", "<i8"), ("x", "<f8"), ("y", "<f8"), ("z", "<f8")])
    with h5py.File(path, "w") as file:
        file.attrs["wkt_geometry"] = SQUARE
        data = file.create_dataset("trajectory", data=np.array([(i, f, x, y, 1.7) for f, i, x, y in samples], kind))
        data.attrs["x"] = "pedestrian x-coordinate (meter [m])"
        if fps is not None:
            data.attrs["fps"] = fps


def write_parquet(path: Path, samples: Sequence[Sample]) -> None:
    frames, ids, xs, ys = zip(*samples, strict=True)
    table = pa.table({"person_id": ids, "frame": frames, "x_m": xs, "y_m": ys, "note": ["a"] * len(ids)})
    parquet.write_table(table, path, row_group_size=37)


def write_sumo(path: Path, samples: Sequence[Sample]) -> None:
    """Steps of 25 a second; persons go to the south-east, whatever their positions say; a car is on the road too."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<!-- generated by SUMO -->", "<fcd-export>"]
    for frame in sorted({own[0] for own in samples}):
        lines.append(f'    <timestep time="{frame / 25}"><vehicle id="car" x="0.0" y="0.0" angle="0.0"/>')
        lines += [
            f'        <person id="ped{i}" x="{x!r}" y="{y!r}" angle="135.00" speed="1.20" edge="e"/>'
            for f, i, x, y in samples
            if f == frame
        ]
        lines.append("    </timestep>")
    path.write_text("\n".join([*lines, "</fcd-export>", ""]))


def write_viswalk(path: Path, samples: Sequence[Sample]) -> None:
    rows = [f"{f / 25!r};{i};{x!r};{y!r};1;0" for f, i, x, y in samples]
    names = "$PEDESTRIAN:SIMSEC;NO;COORDCENTX;COORDCENTY;ORIENTX;ORIENTY"
    path.write_text("\n".join(["$VISION", "* File: a.inpx", "* Date: 1 May", "*", names, *rows, ""]))


def write_crowdit(path: Path, samples: Sequence[Sample]) -> None:
    rows = [f"{f / 25!r},{i},{x!r},{y!r},0,1" for f, i, x, y in samples]
    path.write_text("\n".join(["time,pedID,posX,posY,dirX,dirY", *rows, ""]))


def write_ind(path: Path, samples: Sequence[Sample]) -> None:
    """Headings to the north-west; without velocities, whose place is empty."""
    rows = [f"0,{i},{f},{k},{x!r},{y!r},135.0,0.0,0.0," for k, (f, i, x, y) in enumerate(samples)]
    names = "recordingId,trackId,frame,trackLifetime,xCenter,yCenter,heading,width,length,xVelocity"
    path.write_text("\n".join([names, *rows, ""]))


def write_mot(path: Path, samples: Sequence[Sample]) -> None:
    """Boxes of 40 by 90 pixels, which are metres here; y points down."""
    rows = [f"{f},{i},{x - 20!r},{-y - 90!r},40,90,1,-1,-1,-1" for f, i, x, y in samples]
    path.write_text("\n".join([*rows, ""]))


@dataclass(frozen=True)
class Format:
    """A format: its writer, and what its files leave unsaid."""

    write: Callable[[Path, Sequence[Sample]], None]
    name: str  # as the reader calls it
    asked: dict[str, float | str]
    stride: int = 1  # frames from sample to sample
    is_simulated: bool = False  # positions are the bodies' own, not of heads that sway
    heading: tuple[float, float] | None = None  # of everybody


FORMATS = {
    "csv": Format(write_csv, "CSV", {"rate": 25.0}),
    "petrack": Format(write_petrack, "text of the Jülich data archive", {}),
    "trajnet": Format(write_trajnet, "TrajNet++ text", {}, 10),
    "ndjson": Format(write_ndjson, "TrajNet++ JSON Lines", {}, 10),
    "obsmat": Format(write_obsmat, "ETH obsmat", {}, 10),
    "vadere": Format(write_vadere, "Vadere footsteps", {}, is_simulated=True),
    "pathfinder": Format(write_pathfinder, "Pathfinder CSV", {}, is_simulated=True),
    "sqlite1": Format(
        lambda path, own: write_sqlite(path, own, 1),
        "JuPedSim SQLite, version 1",
        {},
        is_simulated=True,
        heading=(0.0, 1.0),
    ),
    "sqlite2": Format(write_sqlite, "JuPedSim SQLite, version 2", {}, is_simulated=True, heading=(0.0, 1.0)),
    "sqlite3": Format(
        lambda path, own: write_sqlite(path, own, 3, False), "JuPedSim SQLite, version 3", {}, is_simulated=True
    ),
    "sumo": Format(write_sumo, "SUMO FCD", {}, is_simulated=True, heading=(0.5**0.5, -(0.5**0.5))),
    "viswalk": Format(write_viswalk, "Viswalk pedestrian protocol", {}, is_simulated=True, heading=(1.0, 0.0)),
    "crowdit": Format(write_crowdit, "crowd:it CSV", {}, is_simulated=True, heading=(0.0, 1.0)),
    "ind": Format(write_ind, "inD CSV", {}, heading=(-(0.5**0.5), 0.5**0.5)),
    "mot": Format(write_mot, "MOTChallenge text", {"unit": "m", "rate": 25.0}),
    "hdf5": Format(write_hdf5, "Pedestrian Dynamics Data Archive HDF5", {}),
    "parquet": Format(write_parquet, "Parquet", {"rate": 25.0}),
}
