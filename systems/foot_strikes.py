"""Foot strikes: the feet that land on the ground in a step.

The footsteps of walking bodies are known exactly. For all other actors, the pin weights of heel and ball state whether
a foot is on the ground. Pin weights exist in crowds with grounding.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.body.state import SWING, TO, WEIGHT, X
from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.events import FootStrike
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.foot_notes import CLIPS, FOOTSTEPS, UNKNOWN, Contacts, FootNotes
from ecs_anim.components.spawner import Spawner
from ecs_anim.components.stage import Stage
from ecs_anim.ecs.world import World
from ecs_anim.ik.legs import LegArrays
from ecs_anim.maths import affine, elementary
from ecs_anim.roles.names import Side
from ecs_anim.systems.joints import joint_matrices

ANKLE = 2  # column of `LegArrays.joints`
PLANTED = 0.5  # a heel or ball with a larger pin weight is on the ground
STEPS = 0.5  # with a larger weight of the gait, the feet follow the footsteps of the body

Rows = NDArray[np.int32]
Points = NDArray[np.float64]


def note_feet(world: World, entity: int) -> None:
    """Record the contacts of a crowd's feet before a step."""
    notes = world.find(entity, FootNotes)
    if notes is None:
        notes = FootNotes()
        world.attach(entity, notes)
    notes.before = contacts_of(world, entity)


def foot_strikes(world: World, entity: int, crowd: Crowd, time: float) -> Iterator[FootStrike]:
    """Yield the strikes of each foot of a crowd.

    A foot strikes if it has a contact now and had no contact when `note_feet` ran.
    """
    notes = world.find(entity, FootNotes)
    if notes is None or notes.before is None:
        return
    before, now = notes.before, contacts_of(world, entity)
    notes.before = None
    if not len(before.ids):
        return
    rows = crowd.index.find(before.ids)  # row of each earlier actor now; -1 = the actor has left
    old = np.full(len(now.ids), -1)
    old[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    known = (old >= 0) & (now.source != UNKNOWN) & (before.source[old] == now.source)
    struck = known[:, None] & now.stands & ~before.stands[old]
    if not struck.any():
        return
    notes.feet = notes.feet or feet_of(world, entity)
    for leg, (foot, side) in enumerate(notes.feet):
        rows = np.flatnonzero(struck[:, leg]).astype(np.int32)
        if len(rows):
            places = _places(world, entity, rows, leg, now.source[rows])
            yield FootStrike(crowd.name, time, rows, crowd.ids[rows], foot, side, places)


def _legs(world: World, entity: int) -> LegArrays:
    body = world.find(entity, Body)
    return world.get(entity, FootContacts).legs if body is None else body.legs


def contacts_of(world: World, entity: int) -> Contacts:
    """Return the current foot contacts of a crowd. New actors and actors without a pose have no known contacts."""
    ids, body, own = world.get(entity, Crowd).ids, world.find(entity, Body), world.find(entity, FootContacts)
    stands = np.zeros((len(ids), len(_legs(world, entity).joints)), np.bool_)
    source = np.full(len(ids), UNKNOWN, np.int8)
    if own is not None:
        stands[:] = (own.pin[..., :2] > PLANTED).any(axis=2)
        source[own.pin.any(axis=(1, 2)) | bool(own.parameters)] = CLIPS
    if body is not None:
        walk, feet = body.state
        steps = walk[:, WEIGHT] > STEPS
        stands[steps] = feet[steps, :, SWING] == 1
        source[steps] = FOOTSTEPS
        source[np.isnan(walk[:, X])] = UNKNOWN
    return Contacts(ids.copy(), stands, source)


def feet_of(world: World, entity: int) -> list[tuple[str, Side]]:
    """Return the joint name and the side of each foot. The rest pose of the rig gives the side."""
    skeleton, spawner = world.get(entity, Character).rig.skeleton, world.find(entity, Spawner)
    facing = spawner.facing if spawner else 0.0
    ankles = _legs(world, entity).joints[:, ANKLE]
    places = model_matrices(skeleton, skeleton.rest_pose)[ankles, :, 3].astype(np.float64)
    x, _, z = (places - places.mean(axis=0)).T
    aside = elementary.cos(facing) * x - elementary.sin(facing) * z
    names = (skeleton.joint_names[joint] for joint in ankles.tolist())
    return [(name, "left" if away >= 0 else "right") for name, away in zip(names, aside.tolist(), strict=True)]


def _places(world: World, entity: int, rows: Rows, leg: int, source: NDArray[np.int8]) -> Points:
    """Return the positions [n, 3] [m] in space at which the foot `leg` of each actor in `rows` is on the ground.

    `source` [n] states whether the contact of an actor comes from its clips or from its footsteps.
    """
    places = np.zeros((len(rows), 3))
    by_clip = np.flatnonzero(source == CLIPS)
    if len(by_clip):
        own = world.get(entity, FootContacts)
        ankles = joint_matrices(world, entity, rows[by_clip])[:, own.legs.joints[leg, ANKLE]]
        soles = affine.transform_points(ankles[:, None], own.legs.contacts[leg].astype(np.float64))
        lowest = own.pin[rows[by_clip], leg, :2].argmax(axis=1)
        places[by_clip] = soles[np.arange(len(by_clip)), lowest]
    by_step = np.flatnonzero(source == FOOTSTEPS)
    if len(by_step):
        places[by_step, ::2] = world.get(entity, Body).state.feet[rows[by_step], leg, TO : TO + 2]
        grounds = [stage.terrain for _, (stage,) in world.query(Stage)]
        places[by_step, 1] = grounds[0].height_at(places[by_step, ::2]) if grounds else 0.0
    return places
