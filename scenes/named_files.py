"""Search for all files that a scene names."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ecs_anim.scenes.loader import SceneFile


def named_paths(scene: SceneFile) -> dict[str, Path]:
    """Return the path of each file that a scene names. The keys of the returned dictionary are the names of the files,
    as the scene states them.
    """
    texts = set(_texts(json.loads(scene.model.model_dump_json())))
    paths = {text: scene.folder / text for text in texts}
    # isfile is also false for text that cannot be a file name
    return {text: path for text, path in paths.items() if os.path.isfile(path)}


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from _texts([*value.values()])
        case list():
            for item in value:
                yield from _texts(item)
