"""A scene without walls in which four people leave by a goal in the west and a goal in the east."""

HALL = """
frame_rate = 20
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 4
layout = { kind = "grid", spacing = 1.0 }
path = "baked"
[crowds.steering]
leave = true
"""


def hall(*lines: str) -> str:
    """Return the scene with more lines in the steering of its crowd."""
    return HALL + "".join(f"{line}\n" for line in lines)
