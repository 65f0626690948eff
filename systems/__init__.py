"""Systems: classes that read and write components.

Each file contains one system. Only the module `schedule` defines the order of the systems.

The names in `__all__` are public. Python imports each name at its first use. All other names can change in any version.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
