"""The player of a report: a 3D film of the first run inside the HTML page of the report."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.analysis.samples import Samples
from ecs_anim.analysis.shared_player import Player
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.sharing.share import PAGE, share
from ecs_anim.support.files import read_bytes
from ecs_anim.support.terminal import print_note

MOST_SECONDS = 60.0  # longest recording of a player
MOST_ACTOR_SECONDS = 15_000.0  # limit of actors x seconds; a recording at this limit takes minutes
MEGABYTES = 20.0  # default limit for the size of a player


def player_of(scene: SceneFile, people: Samples, megabytes: float, **loading: Any) -> Player:
    """Run the scene again, and return a player that shows this run. `people` are the people of the report's first run,
    which must be equal.

    If the film is larger than `megabytes`, the function returns a player without a film, but with a text that gives the
    reason. `loading` contains arguments of `load_scene`. Raises InputError.
    """
    _, present = np.unique(people.frames, return_counts=True)
    seconds = min(people.end - people.begin, MOST_SECONDS, MOST_ACTOR_SECONDS / max(int(present.max(initial=1)), 1))
    with tempfile.TemporaryDirectory() as folder, load_scene(scene, **loading) as world:
        path = Path(folder) / "player.html"
        shared = share(world, path, seconds=max(round(seconds, 1), 0.1))
        page = read_bytes(path, PAGE).decode()
    if shared.bytes > 1e6 * megabytes:
        reason = (
            f"The report has no player, because its size of {shared.bytes / 1e6:.1f} MB is larger than the limit of"
            f" {megabytes:g} MB. --player-megabytes sets the limit."
        )
        print_note(reason)
        return Player(reason=reason)
    return Player(page, shared.seconds, shared.ankle_mm_mean)
