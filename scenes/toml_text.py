"""Values as TOML text, for scene files that the program writes."""

import json


def toml_of(value: str | float | list[str] | tuple[float, float]) -> str:
    """Return a value as TOML. TOML of such values is equal to JSON, but TOML also requires an escape for U+007F."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
