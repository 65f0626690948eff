"""Running of systems on a chunk.

The stages of several systems run together on one block of actors after the other. Systems without stages run one after
the other on the whole chunk.
"""

from collections.abc import Iterable, Sequence
from time import perf_counter_ns
from typing import Any

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.palette import Palette
from ecs_anim.systems.applicable import Bound
from ecs_anim.systems.chunk import Chunk
from ecs_anim.systems.model_matrices import BuildModelMatrices
from ecs_anim.systems.skin_palettes import BuildSkinPalettes
from ecs_anim.systems.stages import Stage

Run = tuple[str, int, int]  # name of a system, its start time and its end time [ns]


def serves_skins_alone(systems: Sequence[Bound]) -> bool:
    """Return whether the skin palettes are matrices, and only the system of the palettes reads the model matrices."""
    if len(systems) < 2 or not isinstance(systems[-2][0], BuildModelMatrices):
        return False
    last, components = systems[-1]
    palette = next((own for own in components if isinstance(own, Palette)), None)
    return isinstance(last, BuildSkinPalettes) and palette is not None and keeps_matrices(palette.method)


class ChunkRun:
    """Runner of systems on one chunk, in order. The runner stores the start time and the end time of each system.

    The runner does not run stages immediately, so that the stages of consecutive systems can run together. The total
    run time of stages that run together is divided among the stages in proportion to their CPU cycles. The waiting
    stages run when the first of these events occurs:

    - The next system has no stages, and uses a component of a system whose stages wait.
    - The next system has no stages, and the chunk has separate rows.
    - A system reads the model matrices.
    - All systems of the chunk have run.
    """

    def __init__(self, chunk: Chunk) -> None:
        self.runs: list[Run] = []
        self._chunk, self._blocks = chunk, chunk.workspace.blocks
        self._waiting: list[tuple[str, Stage]] = []
        self._components: set[type] = set()  # components of the systems whose stages wait

    def all(self, systems: Iterable[Bound]) -> list[Run]:
        """Run the systems, and return the start time and end time of each system."""
        self._blocks.when_asked = self._keep
        try:
            self._run_all(systems)
        finally:
            self._blocks.when_asked = None  # without this, the thread's memory would keep the chunk in memory
        return self.runs

    def _run_all(self, systems: Iterable[Bound]) -> None:
        system: Any  # a system with a method `stages` or with a method `run`
        begin = perf_counter_ns()
        for system, components in systems:
            name, stages = system.name, getattr(system, "stages", None)
            if stages is not None:
                self._waiting += [(name, stage) for stage in stages(self._chunk, *components)]
                self._components.update(system.components)
            else:
                if self._waiting and (self._chunk.is_picked or not self._components.isdisjoint(system.components)):
                    self._keep()
                    begin = perf_counter_ns()
                system.run(self._chunk, *components)
                self._chunk.publish()
            end = perf_counter_ns()
            self.runs.append((name, begin, end))
            begin = end
        self._run_stages(keeps=False)

    def _keep(self) -> None:
        """Run the waiting stages, and keep the model matrices that these stages compute."""
        self._run_stages(keeps=True)

    def _run_stages(self, *, keeps: bool) -> None:
        """Run the waiting stages. Divide the run time among the stages in proportion to their CPU cycles."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        self._components.clear()
        begin = perf_counter_ns()
        cycles = self._blocks.run([stage for _, stage in waiting], keeps=keeps)
        self._chunk.publish()
        span, total = perf_counter_ns() - begin, max(int(cycles.sum()), 1)
        for (name, _), share in zip(waiting, cycles.tolist(), strict=True):
            end = begin + span * share // total
            self.runs.append((name, begin, end))
            begin = end
