"""Tasks: chunks of crowds, and the systems that run on these chunks."""

from collections.abc import Sequence
from dataclasses import dataclass

from ecs_anim.runtime.clip_table import ClipTables
from ecs_anim.systems.applicable import Bound, CrowdSystems
from ecs_anim.systems.chunk import Chunk, Workspace
from ecs_anim.systems.stages import StageMemories


@dataclass(slots=True)
class Task:
    """A chunk of a crowd, and the systems that run on the chunk, with their components."""

    chunk: Chunk
    tables: ClipTables
    systems: Sequence[Bound]
    spent_ns: list[int] | None = None  # [ns], list that gets the run time; None = not measured
    dt: float | None = None  # [s], time since the last pose of the actors; None = the time step


@dataclass(frozen=True, slots=True)
class WholeCrowd:
    """The tasks for all actors of a crowd. The tasks are valid until one of the other four fields changes."""

    crowd: CrowdSystems
    actor_count: int
    tables: ClipTables
    is_posed: bool  # false = the systems compute no poses
    tasks: list[Task]

    def is_for(self, crowd: CrowdSystems, actor_count: int, tables: ClipTables, is_posed: bool) -> bool:
        """Return whether the tasks are valid for the given values."""
        same = self.crowd is crowd and self.tables is tables
        return same and self.actor_count == actor_count and self.is_posed == is_posed


def kept_chunk(rows: slice, workspace: Workspace) -> Chunk:
    """Return a chunk with consecutive rows. The schedule can use the chunk in many steps."""
    return Chunk(rows, rows.stop - rows.start, 0.0, workspace, rows, memories=StageMemories())
