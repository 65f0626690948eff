"""Control: state machines decide what actors play."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.controller import Controller
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.systems.chunk import Chunk


class RunControllers:
    """Take the transitions whose conditions hold, and fade to the new states' motions."""

    name: ClassVar[str] = "control"
    components: ClassVar[tuple[type, ...]] = (Character, Controller, Parameters, Playback)

    def run(
        self, chunk: Chunk, character: Character, controller: Controller, parameters: Parameters, playback: Playback
    ) -> None:
        """Write the controller's and the playback's columns, and reset triggers that were used."""
        from ecs_anim.kernels.controller import run_machines  # compiled where a crowd needs it

        run_machines(
            controller.machine.arrays,
            character.motions.arrays,
            chunk.dt,
            chunk.write(controller.state),
            chunk.write(controller.elapsed),
            chunk.write_all(parameters.columns),
            chunk.write_all(playback.queue),
        )
