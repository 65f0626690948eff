"""Files that scenes name."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ecs_anim.scenes.loader import SceneFile


def named_paths(scene: SceneFile) -> dict[str, Path]:
    """The files that a scene names, each once, by what it says."""
    texts = set(_texts(json.loads(scene.model.model_dump_json())))
    paths = {text: scene.folder / text for text in texts}
    return {text: path for text, path in paths.items() if os.path.isfile(path)}  # false for what can be no name, too


def _texts(value: Any) -> Iterator[str]:
    """All texts in what JSON holds."""
    match value:
        case str():
            yield value
        case dict():
            yield from _texts([*value.values()])
        case list():
            for item in value:
                yield from _texts(item)
