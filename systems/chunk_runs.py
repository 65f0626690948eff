"""Execution of systems on a chunk. Stages of several systems run together, block by block.

Other systems run one by one.
"""

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

Run = tuple[str, int, int]  # name of a system, start time and end time [ns]


def is_of_stages(system: ChunkSystem) -> TypeGuard[StageSystem]:
    """Return whether a system consists of stages."""
    return hasattr(system, "stages")


def serves_skins_alone(systems: Sequence[Bound]) -> bool:
    """Return true if only the skin palettes read the model matrices, and if the palettes are matrices."""
    if len(systems) < 2 or not isinstance(systems[-2][0], BuildModelMatrices):
        return False
    last, components = systems[-1]
    palette = next((own for own in components if isinstance(own, Palette)), None)
    return isinstance(last, BuildSkinPalettes) and palette is not None and keeps_matrices(palette.method)


class ChunkRun:
    """Runs systems on a chunk in their order, and stores the start and end time of each system.

    Consecutive stages wait, and then run together. The total time is divided among the stages by their CPU cycles.
    Waiting stages run before a system that runs on the whole chunk in two cases: if a stage and the system share a
    component, or if rows are picked by number. In all other cases, the waiting stages run when a system reads the model
    matrices.
    """

    def __init__(self, chunk: Chunk) -> None:
        self.runs: list[Run] = []
        self._chunk, self._blocks = chunk, chunk.workspace.blocks
        self._waiting: list[tuple[str, Stage]] = []
        self._components: set[type] = set()  # components of systems with waiting stages

    def all(self, systems: Iterable[Bound]) -> list[Run]:
        """Run the systems, and return the start time and the end time of each system."""
        self._blocks.when_asked = self._keep
        try:
            self._run_all(systems)
        finally:
            self._blocks.when_asked = None  # otherwise, the thread's memory would keep the chunk alive
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
        """Run the waiting stages, and keep the model matrices that they compute."""
        self._run_stages(keeps=True)

    def _run_stages(self, *, keeps: bool) -> None:
        """Run the waiting stages. Divide the time among the stages by the CPU cycles that each stage took."""
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
