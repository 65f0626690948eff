"""`--until empty`: the simulation of a scene until all actors have left, with the progress on standard error."""

from ecs_anim.ecs.world import World
from ecs_anim.scenes.exit_names import exit_names
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.support.progress import progress_told
from ecs_anim.systems.egress import Egress, leaving_count, run_until_empty


def evacuated(world: World, scene: SceneFile, most_seconds: float, *, seed: int | None = None) -> list[Egress]:
    """Advance a world until it is empty, and show the number of actors that have left.

    Return the actors, sorted by egress time. Messages name `seed`, if it is given. Raises the errors of
    `run_until_empty`.
    """
    named = "" if seed is None else f"seed {seed}: "
    with progress_told(leaving_count(world), f"{named}leaving", "actors") as advance:
        place = f"{scene.label}: {named}--until"
        return run_until_empty(world, exit_names(scene.model), place, most_seconds, advance)
