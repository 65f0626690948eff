"""Detection of the kind of input that the first argument of a command names."""

import os
from pathlib import Path

from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.support.files import file_type
from ecs_anim.support.known_types import Family


def family_of(source: str) -> Family:
    """Return the family of the file that `source` names. For the name of a shipped scene and for a missing file, the
    family is "scene".
    """
    is_file = source not in shipped_scenes() and os.path.isfile(source)
    return file_type(Path(source)).family if is_file else "scene"
