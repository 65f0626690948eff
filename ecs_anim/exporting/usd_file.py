"""Export to USD. Actors with equal appearances share a body. Actors that only play a clip share the clip."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ecs_anim.exporting.actors import Actor, actors_of
from ecs_anim.exporting.paints import Paints
from ecs_anim.exporting.recording import RecordedCrowd
from ecs_anim.exporting.usd_bodies import BODIES, SHAPES, UsdBodies
from ecs_anim.exporting.usd_layer import UsdLayer, places, usd_name
from ecs_anim.exporting.usd_motions import MOTIONS, UsdMotions
from ecs_anim.support.names import unique_names
from ecs_anim.support.pictures import told

CROWDS = "/Crowds"
UNSAVED = 120_000  # number of rows (frames times actors) after which the file is saved, because a save frees memory
OPS, KINDS = ["xformOp:translate", "xformOp:orient", "xformOp:scale"], ["Float3", "Quatf", "Float3"]


def write_usd(
    crowds: Sequence[RecordedCrowd], frame_rate: int, frames: int, path: Path, advance: Callable[[int], object]
) -> None:
    """Write crowds to a .usdc or .usda file. The function `advance` receives the number of newly finished actors.

    Raises InputError if USD cannot store the data.
    """
    with told(path), TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder_name:
        folder = Path(folder_name)
        layer = UsdLayer(folder / f"whole{path.suffix}", frame_rate, frames)
        layer.prim(CROWDS, "Xform")
        layer.set_default(CROWDS[1:])
        for classes in (SHAPES, BODIES, MOTIONS):
            layer.prim(classes, specifier="class")
        pictures = _Pictures(folder, path)
        names = unique_names((usd_name(crowd.name) for crowd in crowds), "crowd")
        for crowd, name in zip(crowds, names, strict=True):
            _add_crowd(layer, crowd, name, pictures, frame_rate, advance)
        layer.save()
        with pictures.published():
            os.replace(folder / f"whole{path.suffix}", path)


def _add_crowd(
    layer: UsdLayer,
    crowd: RecordedCrowd,
    name: str,
    pictures: "_Pictures",
    frame_rate: int,
    advance: Callable[[int], object],
) -> None:
    bodies = UsdBodies(layer, crowd, name, pictures.paints, pictures.add)
    tables = crowd.character.motions.tables
    motions = UsdMotions(layer, name, bodies.joints, tables, frame_rate)
    layer.prim(f"{CROWDS}/{name}", "Xform")
    unsaved = 0
    for actors in actors_of(crowd):
        with layer.at_once():
            for actor in actors:
                _add_actor(layer, f"{CROWDS}/{name}/actor_{actor.id}", actor, bodies, motions)
        advance(len(actors))
        unsaved += len(actors) * crowd.places.frame_count
        if unsaved >= UNSAVED and layer.grows:
            layer.save()
            unsaved = 0
    motions.finish()


def _add_actor(layer: UsdLayer, path: str, actor: Actor, bodies: UsdBodies, motions: UsdMotions) -> None:
    prim = layer.prim(path, "SkelRoot", apis=["SkelBindingAPI"])
    sizes = actor.scale[:, None].repeat(3, axis=1)
    for op, kind, rows in zip(OPS, KINDS, (actor.translation, actor.rotation, sizes), strict=True):
        if (rows == rows[0]).all():
            layer.set(prim, op, kind, places(rows[:1])[0])
        else:
            layer.animate(prim, op, kind, dict(enumerate(places(rows))))
    layer.set(prim, "xformOpOrder", "TokenArray", OPS, uniform=True)
    if not actor.there.all():
        seen = np.where(actor.there, "inherited", "invisible").tolist()
        layer.animate(prim, "visibility", "Token", _where_changed(seen))
    layer.relate(prim, "skel:animationSource", f"{path}/Motion")
    motions.add(f"{path}/Motion", actor)
    layer.instance(f"{path}/Body", bodies.path(actor.look))


def _where_changed(values: Sequence[str]) -> dict[int, str]:
    """Return a dictionary from frame to value, with frame 0 and each frame in which the value changes."""
    return {frame: own for frame, own in enumerate(values) if frame == 0 or own != values[frame - 1]}


def pictures_of(path: Path) -> Path:
    """Return the folder that contains the pictures of the USD file `path`."""
    return path.with_name(f"{path.stem}_pictures")


class _Pictures:
    """Pictures in a folder beside the USD file. The name of a picture is the hash of its content."""

    def __init__(self, folder: Path, path: Path) -> None:
        self._folder, self._target = folder, pictures_of(path)
        self.paints = Paints(path)
        self._names: dict[bytes, str] = {}

    def add(self, picture: bytes) -> str:
        """Store the bytes of a PNG, and return the name that the USD file uses. Raise OSError if writing fails."""
        if picture not in self._names:
            name = f"{blake2b(picture, digest_size=8).hexdigest()}.png"
            (self._folder / name).write_bytes(picture)
            self._names[picture] = name
        return f"./{self._target.name}/{self._names[picture]}"

    @contextmanager
    def published(self) -> Iterator[None]:
        """Move all pictures to their folder at the start of a `with` block. If the block fails, remove new pictures.

        Raises OSError for disk errors.
        """
        new: list[Path] = []
        fresh = not self._target.exists()
        try:
            if self._names:
                self._target.mkdir(exist_ok=True)
            for name in self._names.values():
                if not (self._target / name).exists():
                    os.replace(self._folder / name, self._target / name)
                    new.append(self._target / name)
            yield
        except BaseException:
            for own in new:
                own.unlink()
            if fresh and self._target.exists():
                self._target.rmdir()
            raise
