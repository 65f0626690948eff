"""Pages that show one moment of a world with its exact palettes. They test the drawing alone."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine
from ecs_anim.sharing import build_page
from ecs_anim.sharing.camera_tracks import tracks_of
from ecs_anim.sharing.looks import Looks
from ecs_anim.sharing.moving import FilmedSurfaces
from ecs_anim.sharing.scene_sections import scene_sections
from ecs_anim.sharing.targets import FilmedTargets
from ecs_anim.systems.joints import model_joints
from ecs_anim.systems.queries import stage_of, who_is_there
from tests.sharing.baked_rows import baked_rows

SECONDS = 10  # of the page; the actors glide 1 m/s to the east, so that speeds are known
CONTAINER = """
async function openContainer(bytes) {
  const { meta, sections } = JSON.parse(new TextDecoder().decode(bytes));
  const kinds = { "<f4": Float32Array, "<i4": Int32Array, "|u1": Uint8Array };
  return { meta, async array(name) {
    const [kind, text] = sections[name];
    return new kinds[kind](Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  } };
}
"""
MOTION = """
async function openMotion(box) {
  const crowds = await Promise.all(box.meta.crowds.map(async (own, i) => ({
    ...own, capacity: own.count, clipRows: 0, ownRows: own.count,
    actor: await box.array(`motion/${i}/actor`), start: await box.array(`motion/${i}/placement`),
    placement: await box.array(`motion/${i}/placement`), play: await box.array(`motion/${i}/play`),
    rowClips: own.baked ? await box.array(`motion/${i}/clips`) : null,
    rowPhases: own.baked ? await box.array(`motion/${i}/phases`) : null,
    rows: await box.array(`motion/${i}/rows`), morphs: own.morphs ? await box.array(`motion/${i}/morphs`) : null,
  })));
  const sample = (time) => {
    for (const crowd of crowds) {
      for (let at = 0; at < crowd.start.length; at += 8) crowd.placement[at] = crowd.start[at] + time;
    }
  };
  return { seconds: box.meta.seconds, crowds, sample, async finish() {} };
}
"""


def still_page(world: World, folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """Write a page that shows the current moment of a world at its time 0. Return its path."""
    meta: list[dict[str, Any]] = []
    sections: dict[str, NDArray[Any]] = {}
    looks = []
    for number, (entity, (crowd,)) in enumerate(world.query(Crowd)):
        described, own = _crowd(world, entity, f"motion/{number}/")
        meta.append({"name": crowd.name, **described})
        sections |= own
        looks.append(Looks.of(world, entity))
    surfaces, targets, tracks = FilmedSurfaces(world), FilmedTargets(world), tracks_of(world, 1.0)
    surfaces.take(0.0)
    targets.take(0.0)
    for track in tracks:
        track.take(world)
    sections |= scene_sections(world, looks, surfaces, targets, tracks, world.time)
    texts = {
        name: (array.dtype.str, base64.b64encode(np.ascontiguousarray(array).tobytes()).decode())
        for name, array in sections.items()
    }
    payload = json.dumps({"meta": {"crowds": meta, "seconds": SECONDS}, "sections": texts}).encode()
    real = build_page.page_file
    stand_ins = {"container.js": CONTAINER, "motion.js": MOTION}
    patch.setattr(build_page, "page_file", lambda name: stand_ins.get(name) or real(name))
    path = folder / "still.html"
    path.write_bytes(build_page.build_page(payload, stage_of(world).title))
    return path


def _crowd(world: World, entity: int, prefix: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the description of a crowd and its arrays. Each actor has one row with its exact skin matrices."""
    skeleton, transforms = world.get(entity, Character).rig.skeleton, world.get(entity, Transforms)
    there = np.flatnonzero(who_is_there(world, entity)).astype(np.int32)
    joints = model_joints(world, entity, there)[:, skeleton.skin_joints]
    rows = affine.multiply(joints, skeleton.inverse_bind.astype(np.float64)).astype(np.float32)
    place = np.concatenate([transforms.translation, transforms.scale[:, None], transforms.rotation], axis=1)
    play = np.zeros((len(there), 8), np.float32)
    play[:, 0] = play[:, 1] = np.arange(len(there))
    play[:, 3] = 1
    own = {"rows": rows, "placement": place[there].astype(np.float32), "play": play, "actor": there}
    morphs = world.find(entity, Morphs)
    if has_morphs := morphs is not None and len(morphs.targets) > 0:
        own["morphs"] = morphs.weights[there].astype(np.float32)
    if is_baked := world.find(entity, Baked) is not None:
        own["rows"], own["clips"], own["phases"] = baked_rows(world, entity, there)
    counts = {"actors": len(transforms.scale), "count": len(there), "entries": skeleton.palette_count}
    return counts | {"morphs": has_morphs, "baked": is_baked}, {prefix + name: array for name, array in own.items()}
