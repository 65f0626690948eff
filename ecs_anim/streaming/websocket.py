"""The WebSocket of a pose stream. Each client gets the description, and then the newest frame again and again."""

import re
import socket
import threading
from typing import Any

from ecs_anim.support.errors import InputError

# Pages on this machine, files, and programs that are not browsers. Other web pages must not read the stream.
ORIGINS: Any = [None, "null", re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")]
LOOPBACK = "127.0.0.1"


class Newest:
    """The newest frame, for the threads of all clients."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._number, self._frame, self._ended = 0, b"", False

    def put(self, frame: bytes) -> None:
        with self._changed:
            self._number, self._frame = self._number + 1, frame
            self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def after(self, number: int) -> tuple[int, bytes] | None:
        """Wait for a frame with a number above `number`. Return its number and the frame, or None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._number > number or self._ended)
            return None if self._ended else (self._number, self._frame)


class PoseSocket:
    """A WebSocket server for frames in a thread of its own."""

    def __init__(self, port: int, description: bytes) -> None:
        """Listen on `port` of the loopback interface. With port 0, the system chooses a free port.

        Raises InputError if the port is in use, or if the extra `serve` is not installed.
        """
        try:
            from websockets.exceptions import ConnectionClosed
            from websockets.sync.server import serve
        except ImportError:
            raise InputError(
                "--port: a WebSocket needs the serve extra. Install it: pip install 'ecs-anim[serve]'"
            ) from None
        self._newest, self._description, self._closed = Newest(), description.decode(), ConnectionClosed
        try:
            self._listening = socket.create_server((LOOPBACK, port))
        except OSError as error:
            raise InputError(f"--port {port}: the server cannot listen: {error.strerror}. Choose another.") from None
        self.port: int = self._listening.getsockname()[1]
        self._server = serve(self._send_all, sock=self._listening, origins=ORIGINS, compression=None)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def write(self, frame: bytes) -> None:
        """Publish a frame. Slow clients miss frames, but get the newest frame."""
        self._newest.put(frame)

    def close(self) -> None:
        """Close the port. Clients get the end of the stream."""
        self._newest.end()  # the server waits until the functions for all clients have returned
        self._server.shutdown()

    def _send_all(self, client: Any) -> None:
        number = 0
        try:
            client.send(self._description)
            while found := self._newest.after(number):
                number, frame = found
                client.send(frame)
        except self._closed:
            return
