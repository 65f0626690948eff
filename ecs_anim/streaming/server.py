"""Servers of pose streams."""

import os
from pathlib import Path
from typing import Self

from ecs_anim.ecs.world import World
from ecs_anim.streaming.memory import PoseMemory
from ecs_anim.streaming.messages import description_of, frame_of
from ecs_anim.streaming.websocket import PoseSocket
from ecs_anim.support.checked import checked

GROWTH = 4  # capacity of shared memory, as a multiple of the first frame
SPARE = 1 << 20  # [bytes] in addition


class PoseServer:
    """A server that publishes the poses of a world for other programs on this machine.

        with ea.load_scene("crossing") as world, ea.streaming.PoseServer(world, port=8765) as server:
            for _ in range(600):
                world.step(1 / 60)
                server.publish()

    `port` is the port of a WebSocket on the loopback interface (the 'serve' extra; 0 = any free port). `memory` is the
    path of a file that other programs map into their memory. Raises ValueError without `port` and `memory`. Raises
    InputError if the port is in use, or if the file exists.
    """

    @checked
    def __init__(self, world: World, *, port: int | None = None, memory: str | os.PathLike[str] | None = None) -> None:
        world.require_open()
        if port is None and memory is None:
            raise ValueError("PoseServer() needs a place for the stream. Pass `port`, `memory` or both.")
        if port is not None and not 0 <= port < 1 << 16:
            raise ValueError(f"port must be from 0 to 65535 (got {port}). Pass 0 for any free port.")
        self._world, self._step = world, 0
        description, frame = description_of(world), frame_of(world, 0)
        self._socket: PoseSocket | None = None
        self._memory: PoseMemory | None = None
        if memory is not None:
            self._memory = PoseMemory(Path(memory), description, GROWTH * len(frame) + SPARE)
        try:
            self._socket = None if port is None else PoseSocket(port, description)
        except BaseException:
            self.close()
            raise

    @property
    def port(self) -> int | None:
        """The port of the WebSocket, or None."""
        return None if self._socket is None else self._socket.port

    def publish(self) -> None:
        """Publish the poses after the last step of the world.

        Raises InputError if the crowds have grown to more than four times their first size.
        """
        frame = frame_of(self._world, self._step)
        self._step += 1
        if self._socket:
            self._socket.write(frame)
        if self._memory:
            self._memory.write(frame)

    def close(self) -> None:
        """End the stream: close the port, and remove the file."""
        if self._socket:
            self._socket.close()
        if self._memory:
            self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
