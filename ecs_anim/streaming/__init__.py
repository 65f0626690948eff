"""Pose streams: other programs on this machine get the joints of all actors after each step.

A server sends the poses of a world over a WebSocket, through shared memory, or both. docs/streaming.md describes the
messages. The names in `__all__` are public. Python imports a public name at its first use.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
