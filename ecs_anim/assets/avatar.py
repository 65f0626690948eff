"""Data of a VRM file about its character, in addition to glTF."""

from collections.abc import Mapping
from dataclasses import dataclass

from ecs_anim.support.checked import checked_fields


@checked_fields
@dataclass(frozen=True, eq=False)
class Avatar:
    """A character's own description."""

    format: str  # "VRM 0" or "VRM 1"
    title: str
    version: str  # of the character
    roles: Mapping[str, str | tuple[str, ...]]  # names of joints by role, as `find_roles` takes them
    facing: float  # [rad] from +Z, where the character looks
    expressions: tuple[str, ...]  # each a morph target of this name, as far as it moves a mesh
