# This file lists the public names of this package and the module of each name. `__init__.py` also reads this file. All
# other names can change in any version.

from ecs_anim.components.appearance import Appearance as Appearance
from ecs_anim.components.character import Character as Character
from ecs_anim.components.clip_events import ClipEvent as ClipEvent
from ecs_anim.components.controller import Controller as Controller
from ecs_anim.components.crowd import Crowd as Crowd
from ecs_anim.components.events import Arrival as Arrival
from ecs_anim.components.events import CrowdEvent as CrowdEvent
from ecs_anim.components.events import FootStrike as FootStrike
from ecs_anim.components.events import StateChange as StateChange
from ecs_anim.components.layers import Layers as Layers
from ecs_anim.components.locomotion import Locomotion as Locomotion
from ecs_anim.components.morphs import Morphs as Morphs
from ecs_anim.components.palette import Palette as Palette
from ecs_anim.components.parameters import Parameters as Parameters
from ecs_anim.components.playback import Playback as Playback
from ecs_anim.components.stage import Stage as Stage
from ecs_anim.components.steering import Steering as Steering
from ecs_anim.components.targets import Targets as Targets
from ecs_anim.components.transforms import Transforms as Transforms
from ecs_anim.ecs.bounds import Beside as Beside
from ecs_anim.ecs.bounds import Index as Index
from ecs_anim.ecs.bounds import NotNegativeColumn as NotNegativeColumn
from ecs_anim.ecs.bounds import NumberColumn as NumberColumn
from ecs_anim.ecs.bounds import PositiveColumn as PositiveColumn
from ecs_anim.ecs.bounds import ShareColumn as ShareColumn
from ecs_anim.ecs.bounds import Within as Within
from ecs_anim.ecs.columns import Column as Column
from ecs_anim.ecs.columns import Kept as Kept
