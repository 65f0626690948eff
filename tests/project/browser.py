"""Chromium without a window, for tests of the site. Commands travel over two pipes (DevTools protocol)."""

import base64
import json
import os
import shutil
import signal
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run")


class Browser:
    """A page in Chromium. Leave the `with` block to end Chromium."""

    def __init__(self, profile: Path) -> None:
        """Start Chromium with an empty folder `profile` for the files of the browser."""
        assert CHROMIUM is not None
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        # Chromium reads commands from file descriptor 3 and writes answers to file descriptor 4.
        files = [
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, 1, 2),
            (os.POSIX_SPAWN_DUP2, commands, 3),
            (os.POSIX_SPAWN_DUP2, answers, 4),
        ]
        words = [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
        self._process = os.posix_spawn(CHROMIUM, words, os.environ, file_actions=files)
        os.close(commands)
        os.close(answers)
        self._unread, self._count, self._session = b"", 0, {}
        (page,) = [target for target in self.send("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        self.send("Page.enable")
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result. Ignore the events that arrive before the result."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters, **self._session}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        answer = self._read()
        while answer.get("id") != self._count:
            answer = self._read()
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, address: str, width: int = 1280, height: int = 900) -> None:
        """Load a page and wait until its `load` event."""
        mobile = width < 600
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.send("Page.navigate", url=address)
        while self._read().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression. Wait for promises."""
        done = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def click(self, selector: str) -> None:
        """Scroll to the first element that matches a CSS selector, and click its centre with the mouse."""
        box = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{box}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        x, y = self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box}.getBoundingClientRect())")
        for event in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=event, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path: Path) -> None:
        """Write a PNG file of the visible part of the page."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self._process, signal.SIGTERM)
        os.waitpid(self._process, 0)
        os.close(self._commands)
        os.close(self._answers)

    def _read(self) -> dict[str, Any]:
        """Return the next message. Messages end with a zero byte."""
        while b"\0" not in self._unread:
            read = os.read(self._answers, 1 << 16)
            assert read, "Chromium ended"
            self._unread += read
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)
