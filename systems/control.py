"""The control system: state machines select the motions of actors."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.character import Character
from ecs_anim.components.controller import Controller
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.systems.chunk import Chunk


class RunControllers:
    """Carry out the transitions whose conditions are true. Fade the actors to the motions of their new states."""

    name: ClassVar[str] = "control"
    components: ClassVar[tuple[type, ...]] = (Character, Controller, Parameters, Playback)

    def run(
        self, chunk: Chunk, character: Character, controller: Controller, parameters: Parameters, playback: Playback
    ) -> None:
        """Write the columns of the controller and the playback. Reset the triggers that transitions have used.

        If the event "state_change" has a handler, append the changes of the chunk to `controller.changes`.
        """
        from ecs_anim.kernels.controller import run_machines  # compiled at first use

        state, elapsed = chunk.write(controller.state), chunk.write(controller.elapsed)
        before = (state.copy(), elapsed.copy()) if controller.is_heard else None
        run_machines(
            controller.machine.arrays,
            character.motions.arrays,
            chunk.dt,
            state,
            elapsed,
            chunk.write_all(parameters.columns),
            chunk.write_all(playback.queue),
        )
        if before is not None:
            rows, (left, since) = chunk.rows, before
            assert isinstance(rows, slice)  # consecutive rows, because state machines run for all actors
            # a transition sets `elapsed` to 0; in a paused world, `elapsed` can also be 0 without a transition
            entered = np.flatnonzero((elapsed == 0) & ((chunk.dt > 0) | (since > 0) | (state != left)))
            controller.changes.append(
                np.stack([rows.start + entered, left[entered], state[entered]], 1, dtype=np.int32)
            )
