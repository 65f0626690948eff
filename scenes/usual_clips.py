"""Search for clips by their usual names."""

import re
from collections.abc import Iterable

# Names with these words are not plain idle, walk or run clips.
_OTHERWISE = r"^(?!.*(back|left|right|strafe|start|stop|turn|sit|jump|crouch|lean)).*"
USUAL = {
    "idle": re.compile(_OTHERWISE + "(idle|stand|survey)"),
    "walk": re.compile(_OTHERWISE + "walk"),
    "run": re.compile(_OTHERWISE + "(run|jog)"),
    "back": re.compile("walk.*back|back.*walk"),
    "left": re.compile("(strafe|walk).*left|left.*(strafe|walk)"),
    "right": re.compile("(strafe|walk).*right|right.*(strafe|walk)"),
}


def usual_clip(role: str, names: Iterable[str]) -> str | None:
    """Return the shortest clip name in `names` that fits the role `role`, or None. `USUAL` lists the roles."""
    return min((name for name in names if USUAL[role].search(name.lower())), key=len, default=None)
