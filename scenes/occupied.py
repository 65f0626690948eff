"""Plan points where actors of other crowds stand.

Additional actors of a crowd avoid the plan points of other crowds' actors.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.transforms import Transforms
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.schema_layout import PointsLayout

Points = NDArray[np.float64]


def is_crowded(crowds: Sequence[CrowdModel], counts: Sequence[int]) -> bool:
    """Return whether at least one crowd steers, and at least one crowd has more actors than in the scene file."""
    steers = any(crowd.steering is not None for crowd in crowds)
    return steers and any(count > crowd.count for crowd, count in zip(crowds, counts, strict=True))


def occupied_points(crowds: Iterable[CrowdModel], made: Iterable[tuple[object, ...]]) -> Points:
    """Return the plan points [n, 2] of actors at fixed points and of actors in completed crowds.

    Each item of `made` contains the components of a completed crowd.
    """
    fixed = [np.array(crowd.layout.points) for crowd in crowds if isinstance(crowd.layout, PointsLayout)]
    transforms = [own for components in made for own in components if isinstance(own, Transforms)]
    return np.concatenate([np.empty((0, 2)), *fixed, *(plan_from_space(own.translation) for own in transforms)])
