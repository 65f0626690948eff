"""The steps of the stage that grounds feet, one by one: what it notes of probes and plans can be read, or given."""

import numba
import numpy as np

from ecs_anim.ground.ground import flat
from ecs_anim.ik.grounding import FootState
from ecs_anim.kernels import grounding as kernels
from ecs_anim.kernels.blocks import lanes_of, last_eight, pair_of, read_models, rows_of, write_models
from ecs_anim.kernels.grounding_plans import HIT, PLAN_WIDTH
from ecs_anim.kernels.stages import EIGHT, Blocks, in_order
from ecs_anim.simd import rows_at
from tests.helpers.stages import eights


@numba.njit
def _probe(own):
    """Begin a step, and note where probes begin."""
    walkers, rows, state = kernels.walkers_of(own), own.blocks.rows, FootState(*own.state)
    for number in range(0, rows.shape[0], 8):
        actors, noted = rows_at(rows, number), kernels.notes_of(own.notes, number // 8)
        kernels.begin_step(lanes_of(own.blocks.frames, number // 8), actors, walkers, state, noted)


@numba.njit
def _plan(own):
    """Note plans of feet, from what is noted of hits."""
    walkers, rows, notes = kernels.walkers_of(own), own.blocks.rows, own.notes
    last = last_eight(0, rows.shape[0])
    for number in range(0, last + 8, 16):
        both = kernels.notes_of(notes, number // 8), kernels.notes_of(notes, min(number + 8, last) // 8)
        one, other = rows_of(rows, 0, number, last)
        kernels.plan_feet(pair_of(own.blocks.frames, 0, number, last), one, other, walkers, both)


@numba.njit
def _move(own):
    """Move pelvises and legs as plans say."""
    walkers, rows, frames = kernels.walkers_of(own), own.blocks.rows, own.blocks.frames
    last = last_eight(0, rows.shape[0])
    for number in range(0, last + 8, 8):
        noted = kernels.notes_of(own.notes, number // 8)
        kernels.raise_hips(lanes_of(frames, number // 8), rows_at(rows, number), walkers, noted)
    for number in range(0, last + 8, 16):
        one, other = pair_of(own.notes.plans, 0, number, last)
        kernels.move_legs(pair_of(frames, 0, number, last), walkers, one, other)


class Grounded:
    """A step of the grounded actors. The memory of other actors' feet is cleared."""

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
        """As many eights of a note as there are: the stage has room for those of a block."""
        return np.zeros((len(self.rows) // EIGHT, note.shape[1]), note.dtype)

    def _by_actor(self, note, *shape):
        """Return notes [eight, ..., 8] by actor [actor, ...]; NaN for actors that are not grounded."""
        out = np.full((len(self.strength), *shape), np.nan, np.float32)
        out[self.rows] = np.moveaxis(note.reshape(-1, *shape, EIGHT), -1, 1).reshape(-1, *shape)
        return out

    def _note(self, note, values):
        """Note what is given of each actor [actor, ...]."""
        own = values[self.rows].reshape(-1, EIGHT, *values.shape[1:])
        note[:] = np.moveaxis(own, 1, -1).reshape(note.shape)

    def _arguments(self, dt):
        """Return the arguments of the stage."""
        own = self.settings, self.legs, flat(0).arrays, self.placement, self.strength, dt, self.state, self.pin
        return kernels.GroundFeet(Blocks(self.frames, self.rows, True), *own, self.notes)

    def probes(self, pin, dt=1 / 60):
        """Begin the step. Returns where probes begin [actor, leg, contact, 3]."""
        self.pin = pin
        _probe(self._arguments(dt))
        return self._by_actor(self.notes.points, len(self.legs.joints), 2, 3)

    def plans(self, hits, dt=1 / 60):
        """Plans [actor, leg, PLAN_WIDTH], once probes meet the ground: height and normal [actor, leg, contact, HIT]."""
        assert hits.shape[-1] == HIT
        self._note(self.notes.hits, hits)
        _plan(self._arguments(dt))
        return self._by_actor(self.notes.plans, len(self.legs.joints), PLAN_WIDTH)

    def moved(self, plans, dt=1 / 60):
        """Model matrices [actor, joint, 12] once plans [actor, leg, PLAN_WIDTH] are carried out, after `probes`."""
        self._note(self.notes.plans, plans)
        _move(self._arguments(dt))
        out = self.model.copy()
        write_models(self.frames, self.rows, out)
        return out
