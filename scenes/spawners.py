"""Spawners, which create new actors of a crowd."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.spawner import Spawner
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.columns import Field, Role, fields_of
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.scenes.figures import draw_variants
from ecs_anim.scenes.layouts import place_more
from ecs_anim.scenes.parts.part import Asked, Drawn, Joining, Making
from ecs_anim.scenes.schema_layout import Layout


def build_spawner(making: Making, parts: Sequence[Asked], layout: Layout, seed: tuple[int, int]) -> Spawner:
    """Return the spawner of a new crowd. To create new actors, the spawner calls each part in `parts`, in this order.
    Each part returns some columns of the new actors.
    """
    components, loaded = making.components.values(), making.loaded
    middle = plan_from_space(making.get(Transforms).translation).mean(axis=0, dtype=np.float64)
    columns = [field for field in fields_of(components) if field.role is Role.ACTOR]

    def draw(
        have: int, count: int, rng: np.random.Generator, positions: NDArray[np.float64] | None
    ) -> dict[str, NDArray[Any]]:
        variants = draw_variants(loaded.rig, making.figure_shares, count, rng)
        if positions is None:
            positions = place_more(layout, have, count, rng, making.crowd.count)
        joining = Joining(making, have, count, positions, middle, rng, variants)
        return _rows(columns, (rows for part, keys, _ in parts for rows in part.draw(keys, joining)))

    begin = {column.path: column.value[:1].copy() for column in columns if len(column.value)}
    return Spawner(draw, begin, loaded.facing, loaded.scale, loaded.ground_offset, np.random.default_rng((*seed, 0)))


def _rows(columns: Sequence[Field], drawn: Iterator[Drawn]) -> dict[str, NDArray[Any]]:
    """Return a dictionary from column path to new values. Raises ValueError if the crowd has no column for a value."""
    rows = {}
    for owner, name, own in drawn:
        path = next(
            (field.path for field in columns if field.owner is owner and (field.item or field.name) == name), None
        )
        if path is None:
            raise ValueError(
                f"the field {type(owner).__name__}.{name} must be a column of the crowd, because each new actor"
                " needs its own value. Declare the field as a column."
            )
        rows[path] = own
    return rows
