"""The control system: state machines select the motions that actors play."""

from typing import ClassVar

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
        """Write the columns of the controller and the playback. Reset the triggers that transitions have used."""
        from ecs_anim.kernels.controller import run_machines  # compiled at first use

        run_machines(
            controller.machine.arrays,
            character.motions.arrays,
            chunk.dt,
            chunk.write(controller.state),
            chunk.write(controller.elapsed),
            chunk.write_all(parameters.columns),
            chunk.write_all(playback.queue),
        )
