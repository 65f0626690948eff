"""A headless Chromium for tests. Tests control the browser through pipes, without a network."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SWITCHES = (
    *("--headless=new", "--no-sandbox", "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe"),
    *("--use-gl=angle", "--disable-gpu-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"),
    "--force-color-profile=srgb",
)
# Mesa also draws the pictures of `ea.render`, so both pictures use equal rounding. SwiftShader is part of Chromium.
DRIVERS = {
    "swiftshader": ("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    "mesa": ("--use-angle=gl-egl", "--ignore-gpu-blocklist"),
}
# Chromium reads commands from the descriptor 3, and writes answers to the descriptor 4.
PIPES = """
import fcntl, os, sys
for number, pipe in ((3, sys.argv[1]), (4, sys.argv[2])):
    sys.argv[number - 2] = str(fcntl.fcntl(int(pipe), fcntl.F_DUPFD, 10))
os.dup2(int(sys.argv[1]), 3), os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page in a headless Chromium. `messages` has the console messages, errors and requests of the page."""

    def __init__(
        self,
        size: tuple[int, int] = (1280, 720),
        *,
        is_touch: bool = False,
        is_dark: bool = False,
        driver: str = "swiftshader",
    ) -> None:
        assert CHROMIUM is not None
        self.messages: list[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="ecs-anim-browser-", ignore_cleanup_errors=True)
        (read_here, write_there), (read_there, write_here) = os.pipe(), os.pipe()
        own = f"--user-data-dir={self._folder.name}", f"--window-size={size[0]},{size[1] + 200}"
        switches = [*SWITCHES, *DRIVERS[driver], *own]
        self._process = subprocess.Popen(
            [sys.executable, "-c", PIPES, str(read_there), str(write_there), CHROMIUM, *switches, "about:blank"],
            pass_fds=(read_there, write_there),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_there), os.close(write_there)
        self._read, self._write = os.fdopen(read_here, "rb"), os.fdopen(write_here, "wb")
        self._number, self._session = 0, ""
        (target,) = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(size, is_mobile=is_touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=is_touch)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        theme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[theme])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._read.close(), self._write.close()
        self._folder.cleanup()

    def call(self, method: str, **values: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol. Return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": values}
        if self._session:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        self._write.flush()
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def resize(self, size: tuple[int, int], *, is_mobile: bool = False) -> None:
        """Set the size of the page [pixel]."""
        screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": is_mobile}
        self.call("Emulation.setDeviceMetricsOverride", **screen)

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a shared file. Wait until the page is complete or shows an error."""
        self.call("Page.navigate", url=path.resolve().as_uri() + fragment)
        self.wait("['complete', 'failed'].includes(document.documentElement?.dataset.state)")

    def visit(self, address: str) -> None:
        """Load a page of any kind. Wait until its `load` event."""
        self.call("Page.navigate", url=address)
        while (event := self._next()).get("method") != "Page.loadEventFired":
            self._note(event)

    def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression, which can be a promise."""
        options = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        answer = self.call("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 120) -> None:
        """Wait until a JavaScript expression is true."""
        script = f"""new Promise((done, fail) => {{
            const end = performance.now() + {1e3 * seconds};
            const look = () => {{
                if ({condition}) done(true);
                else if (performance.now() > end) fail(new Error("no " + {json.dumps(condition)}));
                else setTimeout(look, 20);
            }};
            look();
        }})"""
        self.evaluate(script)

    def picture(self) -> NDArray[np.uint8]:
        """Return the visible page [height, width, 3] u8."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        return np.asarray(Image.open(BytesIO(data)).convert("RGB"))

    def press(self, key: str, text: str = "") -> None:
        """Press and release a key."""
        named = {"key": key, "text": text or (key if len(key) == 1 else "")}
        self.call("Input.dispatchKeyEvent", type="keyDown", **named)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def click(self, x: float, y: float) -> None:
        """Click at a point of the page [pixel]."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, selector: str) -> None:
        """Scroll to the first element that matches a CSS selector, and click its centre."""
        box = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{box}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        self.click(*self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box}.getBoundingClientRect())"))

    def drag(self, start: tuple[float, float], end: tuple[float, float], button: str = "left") -> None:
        """Drag with a mouse button."""
        pressed = {"button": button, "buttons": {"left": 1, "right": 2}[button], "clickCount": 1}
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **pressed)

    def wheel(self, x: float, y: float, pixels: float) -> None:
        """Turn the mouse wheel at a point of the page. Positive numbers scroll down [pixel]."""
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=pixels)

    def touch(self, *moments: list[tuple[float, float]]) -> None:
        """Put fingers at the points of the first moment, move them to the points of all moments, and lift them."""
        for number, points in enumerate(moments):
            kind = "touchMove" if number else "touchStart"
            fingers = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=fingers)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def _next(self) -> dict[str, Any]:
        letters = bytearray()
        while (letter := self._read.read(1)) != b"\0":
            assert letter, "the browser ended"
            letters += letter
        return json.loads(letters)

    def _note(self, event: dict[str, Any]) -> None:
        method, values = event.get("method", ""), event.get("params", {})
        if method == "Network.requestWillBeSent":
            url = values["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:")):
                self.messages.append(f"request: {url}")
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(values)[:2000])
