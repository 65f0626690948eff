# This file lists the public names of this package and the module of each name. `__init__.py` also reads this file. All
# other names can change in any version.

from ecs_anim.streaming.messages import CrowdPoses as CrowdPoses
from ecs_anim.streaming.messages import PoseFrame as PoseFrame
from ecs_anim.streaming.messages import read_frame as read_frame
from ecs_anim.streaming.reader import PoseReader as PoseReader
from ecs_anim.streaming.server import PoseServer as PoseServer
