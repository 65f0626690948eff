"""The grounding stage in single steps. A test can read and replace the notes of the stage on probes and plans."""

import numba
import numpy as np

from ecs_anim.ground.ground import flat
from ecs_anim.ik.grounding import FootState
from ecs_anim.kernels import grounding as kernels
from ecs_anim.kernels.frames import lanes_of, last_eight, pair_of, read_models, rows_of, write_models
from ecs_anim.kernels.grounding_plans import HIT, PLAN_WIDTH
from ecs_anim.kernels.stages import EIGHT, Blocks, in_order
from ecs_anim.runtime.records import Placement
from ecs_anim.simd import rows_at
from tests.helpers.stages import eights


@numba.njit
def _probe(own):
    """Begin a time step and store the origins of probes."""
    walkers, rows, state = kernels.walkers_of(own), own.blocks.rows, own.state
    for number in range(0, rows.shape[0], 8):
        actors, noted = rows_at(rows, number), kernels.notes_of(own.notes, number // 8)
        kernels.begin_step(lanes_of(own.blocks.frames, number // 8), actors, walkers, state, noted)


@numba.njit
def _plan(own):
    """Store the plans of feet for the stored hits."""
    walkers, rows, notes = kernels.walkers_of(own), own.blocks.rows, own.notes
    last = last_eight(0, rows.shape[0])
    for number in range(0, last + 8, 16):
        both = kernels.notes_of(notes, number // 8), kernels.notes_of(notes, min(number + 8, last) // 8)
        one, other = rows_of(rows, 0, number, last)
        kernels.plan_feet(pair_of(own.blocks.frames, 0, number, last), one, other, walkers, both)


@numba.njit
def _move(own):
    """Move pelvises and legs according to the stored plans."""
    walkers, rows, frames = kernels.walkers_of(own), own.blocks.rows, own.blocks.frames
    last = last_eight(0, rows.shape[0])
    for number in range(0, last + 8, 8):
        noted = kernels.notes_of(own.notes, number // 8)
        kernels.raise_hips(lanes_of(frames, number // 8), rows_at(rows, number), walkers, noted)
    for number in range(0, last + 8, 16):
        one, other = pair_of(own.notes.plans, 0, number, last)
        kernels.move_legs(pair_of(frames, 0, number, last), walkers, one, other)


class Grounded:
    """A time step of the grounded actors. The states of other actors' feet are cleared."""

    def __init__(self, settings, legs, model, placement, weight, state):
        self.settings, self.legs, self.state = settings, legs, tuple(state)
        self.model, self.placement = model, tuple(placement)
        self.strength = np.empty(len(weight), np.float32)
        kernels.begin_grounding(settings, self.placement, weight, self.state, self.strength)
        grounded = np.flatnonzero(self.strength > 0)
        order, _ = in_order(len(grounded))
        self.rows = grounded[order]
        self.frames = eights(len(self.rows), model.shape[1])
        read_models(model, self.rows, self.frames)
        notes = kernels.new_notes(len(legs.joints))
        self.notes = type(notes)(*(self._room(own) for own in notes))

    def _room(self, note):
        """Return memory for the notes of all actors in groups of eight. The stage itself has memory for one block."""
        return np.zeros((len(self.rows) // EIGHT, note.shape[1]), note.dtype)

    def _by_actor(self, note, *shape):
        """Return notes [eight, ..., 8] by actor [actor, ...]. They are NaN for actors that are not grounded."""
        out = np.full((len(self.strength), *shape), np.nan, np.float32)
        out[self.rows] = np.moveaxis(note.reshape(-1, *shape, EIGHT), -1, 1).reshape(-1, *shape)
        return out

    def _note(self, note, values):
        """Store `values` [actor, ...] in the memory of a note."""
        own = values[self.rows].reshape(-1, EIGHT, *values.shape[1:])
        note[:] = np.moveaxis(own, 1, -1).reshape(note.shape)

    def _arguments(self, dt):
        """Return the arguments of the stage."""
        placement, state = Placement(*self.placement), FootState(*self.state)
        own = self.settings, self.legs, flat(0).arrays, placement, self.strength, dt, state, self.pin
        return kernels.GroundFeet(Blocks(self.frames, self.rows, True), *own, self.notes)

    def probes(self, pin, dt=1 / 60):
        """Begin the time step. Return the origins of probes [actor, leg, contact, 3]."""
        self.pin = pin
        _probe(self._arguments(dt))
        return self._by_actor(self.notes.points, len(self.legs.joints), 2, 3)

    def plans(self, hits, dt=1 / 60):
        """Return plans [actor, leg, PLAN_WIDTH] for hits [actor, leg, contact, HIT] with height and normal."""
        assert hits.shape[-1] == HIT
        self._note(self.notes.hits, hits)
        _plan(self._arguments(dt))
        return self._by_actor(self.notes.plans, len(self.legs.joints), PLAN_WIDTH)

    def moved(self, plans, dt=1 / 60):
        """Return model matrices [actor, joint, 12] after plans [actor, leg, PLAN_WIDTH]. Call `probes` first."""
        self._note(self.notes.plans, plans)
        _move(self._arguments(dt))
        out = self.model.copy()
        write_models(self.frames, self.rows, out)
        return out
