"""Choice of clips by walking speed, for actors without a body. The component `Movers` moves an actor, and the speed of
the actor selects its clip.
"""

from collections.abc import Iterator

from ecs_anim.body.movers import STEERED
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.movers import new_movers
from ecs_anim.components.pacing import Pacing
from ecs_anim.runtime.gait_clips import gait_clips
from ecs_anim.scenes.parts.locomotion import new_footing
from ecs_anim.scenes.parts.part import Making

ACCELERATION = 2.5  # [m/s^2], largest acceleration towards a requested velocity


def new_pacing(making: Making) -> Iterator[object]:
    """Yield the components `Movers`, `GaitClips` and `Footing` of a crowd without bodies. Raises InputError if the
    crowd has no walk clip.
    """
    if Locomotion in making.components:
        raise (making.key / ".locomotion").fault("actors that steer cannot also have locomotion. Leave out locomotion.")
    try:
        clips = gait_clips(making.motions.motions)
    except ValueError as error:
        raise (making.key / ".clips").fault(
            f'actors that steer need a clip of forward walking ({error}). Add {{ name = "walk" }} to clips.'
        ) from None
    yield Pacing(clips)
    yield new_movers(making.loaded.facing, 0, ACCELERATION, STEERED, making.count, None)
    yield from new_footing(making)
