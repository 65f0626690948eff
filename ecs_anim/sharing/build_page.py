"""Assembly of the shared page: one HTML file with styles, scripts, shaders and the payload."""

import base64
import html
import json
from importlib import resources

from ecs_anim.sharing.shaders import page_shaders

# The scripts of the page in their order. The order matters only because a class must come before the classes that
# extend it.
SCRIPTS = (
    "maths.js",
    "container.js",
    "number_codes.js",
    "series.js",
    "corrections.js",
    "poses.js",
    "motion.js",
    "device.js",
    "orbit_camera.js",
    "frame.js",
    "models.js",
    "dual_rows.js",
    "choice.js",
    "storeys.js",
    "bounds.js",
    "impostors.js",
    "crowds.js",
    "noise.js",
    "scenery.js",
    "renderer.js",
    "scene.js",
    "tracks.js",
    "waiting.js",
    "paths.js",
    "colors.js",
    "picking.js",
    "viewpoints.js",
    "links.js",
    "player.js",
    "hands.js",
    "panel.js",
    "main.js",
)


def build_page(container: bytes, title: str) -> bytes:
    """Return the HTML file that plays the container. The file loads nothing from the network."""
    parts = {
        "TITLE": html.escape(title),
        "STYLE": page_file("page.css"),
        "SCRIPT": "\n".join(page_file(name) for name in SCRIPTS),
        "SHADERS": json.dumps(page_shaders()).replace("<", "\\u003c"),
        "PAYLOAD": base64.b64encode(container).decode(),
    }
    pieces = page_file("page.html").split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces)).encode()


def page_file(name: str) -> str:
    """Return the text of a file of the template."""
    return resources.files("ecs_anim.sharing.page").joinpath(name).read_text("utf-8")
