"""Keys, drags and clicks of the window and of the notebook widget.

One table lists all inputs. The help panel, the line of hints, the documents and the key handlers read this table.
"""

from dataclasses import dataclass
from enum import Enum, auto


class Action(Enum):
    """The actions of the window that a key can start."""

    PAUSE = auto()
    SINGLE_STEP = auto()
    STEP_BACK = auto()
    FASTER = auto()
    SLOWER = auto()
    RESET_CAMERA = auto()
    NEXT_OVERLAY = auto()
    MENU = auto()
    SCREENSHOT = auto()
    SWAP_SKINNING = auto()
    FOLLOW = auto()
    NEXT_CAMERA = auto()
    SKELETONS = auto()
    TRAILS = auto()
    GOALS = auto()
    DENSITY = auto()
    BACK = auto()  # clear the selection, or close the window if nothing is selected
    CLOSE = auto()


@dataclass(frozen=True)
class Control:
    """An input by mouse or key, and its effect."""

    label: str  # name of the input in the help panel and in the documents
    effect: str  # one sentence
    action: Action | None = None  # None for inputs by mouse
    keys: tuple[str, ...] = ()  # key names of pyglet.window.key
    hint: str = ""  # short text for the line of hints; the line omits inputs without a hint
    in_notebook: bool = False  # whether the notebook widget has this input


CONTROLS = (
    Control("drag", "Orbit the camera.", hint="orbit", in_notebook=True),
    Control("drag on the timeline", "Pause and show a stored moment.", in_notebook=True),
    Control("right-drag, shift-drag", "Pan the camera.", in_notebook=True),
    Control("wheel", "Zoom.", hint="zoom", in_notebook=True),
    Control("click", "Select an actor and show its state. A second click ends the selection.", hint="select"),
    Control("Space", "Pause or continue.", Action.PAUSE, ("SPACE",), hint="pause", in_notebook=True),
    Control(
        ". or Right", "Pause and take one step of 1/60 s.", Action.SINGLE_STEP, ("PERIOD", "RIGHT"), in_notebook=True
    ),
    Control(", or Left", "Pause and go back by one frame.", Action.STEP_BACK, ("COMMA", "LEFT"), in_notebook=True),
    Control(
        "+ or =", "Double the playback speed, up to 8.", Action.FASTER, ("PLUS", "EQUAL", "NUM_ADD"), in_notebook=True
    ),
    Control("-", "Halve the playback speed, down to 1/8.", Action.SLOWER, ("MINUS", "NUM_SUBTRACT"), in_notebook=True),
    Control("R", "Return to the first view.", Action.RESET_CAMERA, ("R",), in_notebook=True),
    Control("F", "Follow the selected actor, or stop following.", Action.FOLLOW, ("F",)),
    Control("C", "Show the next camera of the scene.", Action.NEXT_CAMERA, ("C",)),
    Control("B", "Show or hide the skeletons.", Action.SKELETONS, ("B",), in_notebook=True),
    Control("T", "Show or hide the paths of the last 4 seconds.", Action.TRAILS, ("T",), in_notebook=True),
    Control("G", "Show or hide the goals.", Action.GOALS, ("G",), in_notebook=True),
    Control("D", "Show or hide the density of people on the ground.", Action.DENSITY, ("D",), in_notebook=True),
    Control(
        "K",
        "Switch between linear skinning and dual quaternions.",
        Action.SWAP_SKINNING,
        ("K",),
        in_notebook=True,
    ),
    Control(
        "M",
        "Show or hide the list of scenes. Up, Down and Enter, or a click, open a scene.",
        Action.MENU,
        ("M",),
        hint="scenes",
    ),
    Control("S or F12", "Save a picture in full quality.", Action.SCREENSHOT, ("S", "F12")),
    Control("H or F1", "Show this help, then no text, then the status.", Action.NEXT_OVERLAY, ("H", "F1"), hint="help"),
    Control("Esc", "End the selection. Without a selection, close the window.", Action.BACK, ("ESCAPE",), hint="close"),
    Control("Q", "Close the window.", Action.CLOSE, ("Q",)),
)
NOTEBOOK_CONTROLS = tuple(control for control in CONTROLS if control.in_notebook)
KEYS = {key: control.action for control in CONTROLS if control.action for key in control.keys}
HINTS, NOTEBOOK_HINTS = (
    "   ".join(f"{control.label}: {control.hint}" for control in controls if control.hint)
    for controls in (CONTROLS, NOTEBOOK_CONTROLS)
)
HELP = "\n".join(f"{control.label}\t{control.effect}" for control in CONTROLS)
