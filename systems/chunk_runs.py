"""Running the systems of a chunk: stages together, block by block, all others one by one."""

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter_ns

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.palette import Palette
from ecs_anim.systems.applicable import Bound
from ecs_anim.systems.chunk import Chunk, ChunkSystem
from ecs_anim.systems.model_matrices import BuildModelMatrices
from ecs_anim.systems.skin_palettes import BuildSkinPalettes
from ecs_anim.systems.stages import Stage

Run = tuple[str, int, int]  # a system's name, and when it began and ended [ns]


def is_of_stages(system: ChunkSystem) -> bool:
    """Whether a system consists of stages."""
    return hasattr(system, "stages")


def keeps_frames(systems: Sequence[Bound]) -> bool:
    """Whether a system runs on the whole chunk after the first stage, and may ask for the matrices of all actors."""
    kinds = [is_of_stages(system) for system, _ in systems]
    return True in kinds and not all(kinds[kinds.index(True) :])


def serves_skins_alone(systems: Sequence[Bound]) -> bool:
    """Whether no system but the skin palettes, as matrices, reads the model matrices."""
    if len(systems) < 2 or not isinstance(systems[-2][0], BuildModelMatrices):
        return False
    last, components = systems[-1]
    palette = next((own for own in components if isinstance(own, Palette)), None)
    return isinstance(last, BuildSkinPalettes) and palette is not None and keeps_matrices(palette.method)


def run_chunk(systems: Iterable[Bound], chunk: Chunk) -> list[Run]:
    """Run systems in their order, and return when each ran; stages take their share of the time of all together."""
    runs: list[Run] = []
    waiting: list[tuple[str, Stage]] = []
    for system, components in systems:
        begin = perf_counter_ns()
        if is_of_stages(system):
            waiting += [(system.name, stage) for stage in system.stages(chunk, *components)]  # type: ignore[attr-defined]
        else:
            runs += _run_stages(waiting, chunk)
            begin = perf_counter_ns()
            system.run(chunk, *components)  # type: ignore[attr-defined]
            chunk.publish()
        runs.append((system.name, begin, perf_counter_ns()))
    runs += _run_stages(waiting, chunk)
    return runs


def _run_stages(waiting: list[tuple[str, Stage]], chunk: Chunk) -> Iterator[Run]:
    """Run the stages that wait, and tell when: a block takes the stages in turns, which are counted in cycles."""
    if not waiting:
        return
    begin = perf_counter_ns()
    cycles = chunk.workspace.blocks.run([stage for _, stage in waiting])
    chunk.publish()
    span, total = perf_counter_ns() - begin, max(int(cycles.sum()), 1)
    for (name, _), share in zip(waiting, cycles.tolist(), strict=True):
        end = begin + span * share // total
        yield name, begin, end
        begin = end
    waiting.clear()
