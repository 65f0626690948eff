"""Avatar data of VRM files. A VRM file is a glTF file with additional avatar data."""

from collections.abc import Mapping
from dataclasses import dataclass

from ecs_anim.support.checked import checked_fields


@checked_fields
@dataclass(frozen=True, eq=False)
class Avatar:
    """The avatar data that a VRM file contains for its character."""

    format: str  # "VRM 0" or "VRM 1"
    title: str
    version: str  # version of the character
    roles: Mapping[str, str | tuple[str, ...]]  # joint names by role, in the format of `find_roles`
    facing: float  # [rad] from +Z, heading of the character
    expressions: tuple[str, ...]  # each expression is a morph target with this name if it moves a mesh
