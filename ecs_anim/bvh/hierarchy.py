"""Reading of the first part of a BVH file: joints with their offsets and channels."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

CHANNELS = {f"{axis}{what}": (what, k) for what in ("position", "rotation") for k, axis in enumerate("XYZ")}
KNOWN = ", ".join(CHANNELS)
LARGEST = 1e9  # largest number in a file; its square fits into float32


class BvhError(ValueError):
    """Error in a BVH file with the line number. `load_rig` adds the name of the file to the message."""

    def __init__(self, line: int, rule: str) -> None:
        super().__init__(f"line {line}: {rule}" if line else rule)


class Channel(NamedTuple):
    """A channel of a joint. A channel has one number per frame.

    The number moves the joint along an axis or rotates the joint about an axis.
    """

    what: str  # "position" or "rotation"
    axis: int  # 0, 1, 2 for X, Y, Z

    @property
    def name(self) -> str:
        """Return the name of the channel in BVH files, such as 'Xposition'."""
        return f"{'XYZ'[self.axis]}{self.what}"


@dataclass
class Joint:
    """A joint in a BVH file. An end site is a joint without channels."""

    name: str
    parent: int  # -1 = a root
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)  # [units of the file]
    channels: list[Channel] = field(default_factory=list)  # in the order of the file
    is_end: bool = False


class Words:
    """The words of a text. Each word has its line number."""

    def __init__(self, lines: list[str]) -> None:
        self._words = [(word, number) for number, line in enumerate(lines, 1) for word in line.split()]
        self._at = 0

    @property
    def line(self) -> int:
        """Return the line number of the next word. After the last word, return the number of the last line."""
        return self._words[min(self._at, len(self._words) - 1)][1] if self._words else 1

    def next(self, wanted: str) -> str:
        """Return the next word. `wanted` is a description of the expected word, for error messages."""
        if self._at == len(self._words):
            raise BvhError(
                self.line, f"the file must contain {wanted} here (got the end of the file). Export the file again."
            )
        self._at += 1
        return self._words[self._at - 1][0]

    def name(self) -> str:
        """Return all words up to the end of the line or up to an opening brace. A name can contain blanks."""
        line, parts = self.line, [self.next("a joint's name")]
        while self._at < len(self._words) and self._words[self._at][1] == line and self._words[self._at][0] != "{":
            parts.append(self.next("a joint's name"))
        return " ".join(parts)

    def expect(self, *wanted: str) -> str:
        """Return the next word. The word must be one of the words `wanted`, in upper or lower case."""
        line, word = self.line, self.next(f"'{wanted[0]}'")
        if word.upper() not in wanted:
            known = " or ".join(f"'{own}'" for own in wanted)
            raise BvhError(line, f"the next word must be {known} (got {word[:40]!r}). Correct the line.")
        return word.upper()

    def number(self, what: str) -> float:
        """Return the next word as a finite number. `what` describes the number in error messages."""
        line = self.line
        return number(self.next(what), what, line)


def number(word: str, what: str, line: int) -> float:
    """Return `word` as a finite number. `what` describes the number in errors."""
    try:
        value = float(word) if "_" not in word else math.nan
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST:
        rule = f"a number of at most {LARGEST:g}" if math.isfinite(value) else "a number"
        raise BvhError(line, f"{what} must be {rule} (got {word[:40]!r}). Correct the line.")
    return value


def read_hierarchy(words: Words, most: int) -> list[Joint]:
    """Return all joints up to the word MOTION. Parents precede their children, and end sites are included.

    Raises BvhError for invalid data, and for more than `most` joints.
    """
    words.expect("HIERARCHY")
    joints: list[Joint] = []
    while words.expect("ROOT", "MOTION") == "ROOT":
        _read_tree(words, joints, most)
    if not joints:
        raise BvhError(words.line, "the file must have a ROOT before MOTION. Export the motion with its skeleton.")
    return joints


def _read_tree(words: Words, joints: list[Joint], most: int) -> None:
    """Read a root and all its descendants, and append the joints to `joints`."""
    open_joints = [_begin(words, joints, -1)]
    while open_joints:
        current = joints[open_joints[-1]]
        line = words.line
        match words.next("'}'").upper():
            case "OFFSET":
                current.offset = tuple(words.number("an offset") for _ in range(3))
            case "CHANNELS":
                current.channels = _channels(words, current)
            case "JOINT":
                open_joints.append(_begin(words, joints, open_joints[-1]))
            case "END":
                words.name()  # skips the rest of the name, which is the word Site in most files
                words.expect("{")
                joints.append(Joint(f"{current.name}_end", open_joints[-1], is_end=True))
                open_joints.append(len(joints) - 1)
            case "}":
                open_joints.pop()
            case other:
                raise BvhError(
                    line, f"the next word must be OFFSET, CHANNELS, JOINT, End Site or '}}' (got {other[:40]!r})"
                )
        if len(joints) > most:
            raise BvhError(
                line,
                f"the file must have at most {most:,} joints. Export fewer joints, or raise ECS_ANIM_LIMIT_JOINTS.",
            )


def _begin(words: Words, joints: list[Joint], parent: int) -> int:
    """Read the name of a joint and the opening brace after the name. Return the index of the joint."""
    line = words.line
    if parent >= 0 and joints[parent].is_end:
        raise BvhError(line, "an End Site must not have joints below it. Change End Site to JOINT.")
    joints.append(Joint(words.name(), parent))
    words.expect("{")
    return len(joints) - 1


def _channels(words: Words, joint: Joint) -> list[Channel]:
    line = words.line
    count = words.number("the number of channels")
    if joint.is_end or joint.channels:
        told = (
            "an End Site must not have channels"
            if joint.is_end
            else f"joint {joint.name!r} must not have channels twice"
        )
        raise BvhError(line, f"{told}. Remove the line.")
    if count != int(count) or not 0 <= count <= len(CHANNELS):
        raise BvhError(line, f"the number of channels must be a whole number from 0 to {len(CHANNELS)} (got {count:g})")
    found: list[Channel] = []
    for _ in range(int(count)):
        word = words.next("a channel")
        name = f"{word[:1].upper()}{word[1:].lower()}"
        if name not in CHANNELS:
            raise BvhError(line, f"a channel must be one of {KNOWN} (got {word[:40]!r})")
        channel = Channel(*CHANNELS[name])
        if channel in found:
            raise BvhError(line, f"joint {joint.name!r} must not have the channel {name} twice. Remove one of the two.")
        found.append(channel)
    return found
