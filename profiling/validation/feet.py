"""Errors of feet, knees and ankles in a scene over many frames: feet can slide, penetrate the ground or hover, and
knees can bend backwards.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.foot_measures import FootMeasures, FootSamples, new_foot_measures
from ecs_anim.components.grounding import Grounding
from ecs_anim.ecs.world import World
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.systems.queries import stage_of

NEAR = 0.01  # largest distance [m] between the ground and a contact that counts as near the ground
STRAIGHT = np.radians(1.0)  # smallest backward angle at which a knee counts as bent backwards [rad]


def watch_feet(world: World) -> bool:
    """Start to measure the feet of all grounded crowds. Return False if the world has no grounded crowd."""
    crowds = [(entity, row) for entity, row in world.query(Crowd, FootContacts, Grounding)]
    for entity, (crowd, contacts, grounding) in crowds:
        world.attach(entity, new_foot_measures(contacts.legs, grounding.ground, crowd.actor_count))
    return bool(crowds)


def measure_feet(world: World, frames: int, act: Callable[[World], None] | None = None) -> list[dict[str, Any]]:
    """Advance a world that `watch_feet` prepared. Return the foot errors of each crowd.

    The function calls `act` after each time step.

    The figures also include actors that join or leave the crowd during the measurement, for the time steps in which
    these actors are present.
    """
    dt = 1 / stage_of(world).frame_rate
    for _ in frames_with_progress(frames, "watching feet"):
        world.step(dt)
        if act:
            act(world)
    watched = world.query(Crowd, FootMeasures)
    return [{"crowd": crowd.name, **figures(measures.samples)} for _, (crowd, measures) in watched]


def figures(seen: FootSamples) -> dict[str, float | int | None]:
    """Return the figures of a crowd as plain data. Lengths are in metres, and angles are in degrees."""
    skate, gap, sunk, knee, acceleration = (
        np.concatenate(rows) if rows else np.zeros(0)
        for rows in (seen.skate, seen.gap, seen.sunk, seen.knee, seen.acceleration)
    )
    return {
        "planted_samples": len(gap),
        "skate_median": _share(skate, 50),
        "skate_p95": _share(skate, 95),
        "planted_near_share": round(float(np.mean(np.abs(gap) <= NEAR)), 5) if len(gap) else None,
        "gap_abs_p95": _share(np.abs(gap), 95),
        "hover_p95": _share(np.maximum(gap, 0), 95),
        "penetration_p95": _share(sunk, 95),
        "penetration_max": _share(sunk, 100),
        "knee_least_degrees": _share(np.degrees(knee), 0),
        "knees_backward": int(np.sum(knee < -STRAIGHT)),
        "ankle_acceleration_p99": _share(acceleration, 99),
        "ankle_acceleration_max": _share(acceleration, 100),
    }


def _share(values: NDArray[Any], percent: float) -> float | None:
    return round(float(np.percentile(values, percent)), 5) if len(values) else None
