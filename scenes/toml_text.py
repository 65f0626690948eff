"""Values as TOML text, for scene files that the program writes."""

import json
from collections.abc import Mapping


def toml_of(value: str | float | list[str] | tuple[float, float] | Mapping[str, float]) -> str:
    """Return a value as TOML.

    TOML and JSON write texts, numbers and lists in the same way, except that TOML requires an escape for U+007F.
    """
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_of(name)} = {toml_of(own)}' for name, own in value.items())} }}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
