"""The steps of the stage that grounds feet, one by one: what it notes of probes and plans can be read, or given."""

import numba
import numpy as np

from ecs_anim.kernels import grounding as kernels
from ecs_anim.kernels.blocks import lanes_of, last_eight, pair_of, read_models, rows_of, write_models
from ecs_anim.kernels.elementary import exp
from ecs_anim.kernels.grounding_plans import HIT, PLAN_WIDTH, stepping_manner
from ecs_anim.kernels.grounding_probes import begin_eight, stance_of
from ecs_anim.kernels.stages import EIGHT, in_order
from ecs_anim.simd import gather, pointer, rows_at
from tests.helpers.stages import eights


@numba.njit
def _probe(settings, legs, frames, rows, placement, strength, pin, dt, state, notes):
    """Begin a step, and note where probes begin."""
    own, _ = kernels._grounded_legs(legs)
    places = pointer(placement[0]), pointer(placement[1]), pointer(placement[2])
    floor, decay = np.float32(settings.floor), np.float32(exp(-dt / settings.step_seconds))
    for number in range(0, rows.shape[0], 8):
        actors, noted = rows_at(rows, number), kernels._notes_of(notes, number // 8)
        stance = stance_of(places, actors, floor, decay)
        begin_eight(stance, own[2][0], actors, pointer(state[0]), state)
        kernels._put_stance(noted.stance, stance, gather(pointer(strength), actors, 0))
        kernels._put_pins(noted.held, pointer(pin), actors, own[3])
        frame = lanes_of(frames, number // 8)
        kernels._probe(frame, own, pointer(state[3]), actors * own[3], stance, noted.points)


@numba.njit
def _plan(settings, legs, frames, rows, dt, state, notes):
    """Note plans of feet, from what is noted of hits."""
    own, _ = kernels._grounded_legs(legs)
    memory = pointer(state[1]), pointer(state[2]), pointer(state[3]), pointer(state[4])
    decay, manner = np.float32(exp(-dt / settings.step_seconds)), stepping_manner(settings, dt)
    last = last_eight(0, rows.shape[0])
    for number in range(0, last + 8, 16):
        both = kernels._notes_of(notes, number // 8), kernels._notes_of(notes, min(number + 8, last) // 8)
        pair, actors = pair_of(frames, 0, number, last), rows_of(rows, 0, number, last)
        kernels._plan(pair, actors, own, memory, both, manner, decay)


@numba.njit
def _move(settings, legs, frames, rows, dt, state, notes):
    """Move pelvises and legs as plans say."""
    own, (owned, carried) = kernels._grounded_legs(legs)
    follows = np.float32(exp(-dt / settings.pelvis_seconds)), np.float32(dt)
    last = last_eight(0, rows.shape[0])
    for number in range(0, last + 8, 8):
        frame, noted = lanes_of(frames, number // 8), kernels._notes_of(notes, number // 8)
        kernels._raise_hips(frame, own, carried, pointer(state[0]), rows_at(rows, number), noted, follows)
    for number in range(0, last + 8, 16):
        pair = pair_of(frames, 0, number, last)
        kernels._move_legs(pair, own, owned, *pair_of(notes.plans, 0, number, last))


class Grounded:
    """A step of those actors who are grounded; others forget what feet remember."""

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
        """What is noted [eight, ..., 8] of each actor [actor, ...]; NaN of who is not grounded."""
        out = np.full((len(self.strength), *shape), np.nan, np.float32)
        out[self.rows] = np.moveaxis(note.reshape(-1, *shape, EIGHT), -1, 1).reshape(-1, *shape)
        return out

    def _note(self, note, values):
        """Note what is given of each actor [actor, ...]."""
        own = values[self.rows].reshape(-1, EIGHT, *values.shape[1:])
        note[:] = np.moveaxis(own, 1, -1).reshape(note.shape)

    def probes(self, pin, dt=1 / 60):
        """Begin the step. Returns where probes begin [actor, leg, contact, 3]."""
        arguments = self.placement, self.strength, pin, dt, self.state, self.notes
        _probe(self.settings, self.legs, self.frames, self.rows, *arguments)
        return self._by_actor(self.notes.points, len(self.legs.joints), 2, 3)

    def plans(self, hits, dt=1 / 60):
        """Plans [actor, leg, PLAN_WIDTH], once probes meet the ground: height and normal [actor, leg, contact, HIT]."""
        assert hits.shape[-1] == HIT
        self._note(self.notes.hits, hits)
        _plan(self.settings, self.legs, self.frames, self.rows, dt, self.state, self.notes)
        return self._by_actor(self.notes.plans, len(self.legs.joints), PLAN_WIDTH)

    def moved(self, plans, dt=1 / 60):
        """Model matrices [actor, joint, 12] once plans [actor, leg, PLAN_WIDTH] are carried out, after `probes`."""
        self._note(self.notes.plans, plans)
        _move(self.settings, self.legs, self.frames, self.rows, dt, self.state, self.notes)
        out = self.model.copy()
        write_models(self.frames, self.rows, out)
        return out
