"""Running the systems of a chunk: stages together, block by block, all others one by one."""

from collections.abc import Iterable, Sequence
from time import perf_counter_ns
from typing import TypeGuard, cast

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.palette import Palette
from ecs_anim.systems.applicable import Bound
from ecs_anim.systems.chunk import Chunk, ChunkSystem, RunSystem, StageSystem
from ecs_anim.systems.model_matrices import BuildModelMatrices
from ecs_anim.systems.skin_palettes import BuildSkinPalettes
from ecs_anim.systems.stages import Stage

Run = tuple[str, int, int]  # a system's name, and when it began and ended [ns]


def is_of_stages(system: ChunkSystem) -> TypeGuard[StageSystem]:
    """Whether a system consists of stages."""
    return hasattr(system, "stages")


def serves_skins_alone(systems: Sequence[Bound]) -> bool:
    """Whether no system but the skin palettes, as matrices, reads the model matrices."""
    if len(systems) < 2 or not isinstance(systems[-2][0], BuildModelMatrices):
        return False
    last, components = systems[-1]
    palette = next((own for own in components if isinstance(own, Palette)), None)
    return isinstance(last, BuildSkinPalettes) and palette is not None and keeps_matrices(palette.method)


class ChunkRun:
    """Runs systems on a chunk in their order, and notes when each ran; stages take their share of the time of all.

    Stages wait, and then run together. Before a system that runs on the whole chunk, they run if one of them declares a
    component of the system too, or if rows are picked one by one; else when the system asks for the matrices.
    """

    def __init__(self, chunk: Chunk) -> None:
        self.runs: list[Run] = []
        self._chunk, self._blocks = chunk, chunk.workspace.blocks
        self._waiting: list[tuple[str, Stage]] = []
        self._components: set[type] = set()  # of systems whose stages wait

    def all(self, systems: Iterable[Bound]) -> list[Run]:
        """Run systems, and return when they ran."""
        self._blocks.when_asked = self._keep
        try:
            self._run_all(systems)
        finally:
            self._blocks.when_asked = None  # the thread's room keeps no chunk alive
        return self.runs

    def _run_all(self, systems: Iterable[Bound]) -> None:
        for system, components in systems:
            if is_of_stages(system):
                begin = perf_counter_ns()
                stages = system.stages(self._chunk, *components)
                self._waiting += [(system.name, stage) for stage in stages]
                self._components.update(system.components)
            else:
                if self._chunk.is_picked or not self._components.isdisjoint(system.components):
                    self._keep()
                begin = perf_counter_ns()
                cast(RunSystem, system).run(self._chunk, *components)
                self._chunk.publish()
            self.runs.append((system.name, begin, perf_counter_ns()))
        self._run_stages(keeps=False)

    def _keep(self) -> None:
        """Run the stages that wait, and keep their matrices."""
        self._run_stages(keeps=True)

    def _run_stages(self, *, keeps: bool) -> None:
        """Run the stages that wait, and note when: a block takes them in turns, which are counted in cycles."""
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
