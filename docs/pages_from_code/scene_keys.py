"""Generate the reference of scene keys. Each section describes one table of the schema that the loader uses."""

import json
import re
from collections.abc import Iterator
from typing import Any

from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.schema_base import LARGEST, SMALLEST
from pages_from_code.markdown import code, table

Schema = dict[str, Any]

HEAD = ("key", "type", "unit", "range", "default", "")
UNIT = re.compile(r"\[((?:m|s|mm|ms|Hz|pixels|degrees)(?:/s)?)\]")
NAMES = {"number": "number", "integer": "whole number", "string": "text", "boolean": "true or false"}


def scene_keys() -> str:
    """Return one section for each table of a scene file. The section of a table precedes those of its inner tables."""
    whole = SceneModel.model_json_schema()
    return "\n\n".join(_section(path, model, whole["$defs"]) for path, model in _tables(whole))


def _section(path: str, model: Schema, definitions: Schema) -> str:
    kind = model["properties"].get("kind", {}).get("const")
    title = f'{path}, kind = "{kind}"' if kind else path or "the scene"
    needed = model.get("required", ())
    rows = [
        _row(name, field, name in needed, definitions) for name, field in model["properties"].items() if name != "kind"
    ]
    heading = f"## {code(title) if path else title}\n\n{model.get('description', '')}"
    return f"{heading}\n\n{table(HEAD, rows)}" if rows else heading


def _row(name: str, field: Schema, is_needed: bool, definitions: Schema) -> tuple[str, ...]:
    about = field.get("description", "")
    unit = UNIT.search(about)
    return (
        code(name),
        _type(field, definitions),
        unit[1] if unit else "degrees" if name.endswith("degrees") else "",
        ", ".join(dict.fromkeys(_ranges(field))),
        "**needed**" if is_needed else _default(field),
        about.replace("<", "&lt;"),
    )


def _tables(whole: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the path and the model of each table. If several keys contain a table, its path is the first key."""
    waiting, seen = [("", whole)], set()
    while waiting:
        path, model = waiting.pop(0)
        yield path, model
        for key, field in model["properties"].items():
            for form, name in _references(field):
                if name not in seen:
                    seen.add(name)
                    inner = f"{_inside(path)}{key}{'.NAME' if form == 'table by name' else ''}"
                    waiting.append((f"[[{inner}]]" if form == "list" else f"[{inner}]", whole["$defs"][name]))


def _inside(path: str) -> str:
    inner = path.strip("[]")
    return f"{inner}." if inner else ""


def _references(field: Schema, form: str = "table") -> Iterator[tuple[str, str]]:
    """Yield the tables that a key can contain.

    Each item is a pair: the form (table, list or table by name), and the name of the model.
    """
    if "$ref" in field:
        yield form, field["$ref"].rpartition("/")[2]
    for one in (*field.get("anyOf", ()), *field.get("oneOf", ())):
        yield from _references(one, form)
    if isinstance(field.get("items"), dict):
        yield from _references(field["items"], "list")
    if isinstance(field.get("additionalProperties"), dict):
        yield from _references(field["additionalProperties"], "table by name")


def _type(field: Schema, definitions: Schema) -> str:
    match field:
        case {"$ref": _}:
            return "table"
        case {"const": value}:
            return code(json.dumps(value))
        case {"enum": values}:
            return " or ".join(code(json.dumps(value)) for value in values)
        case {"anyOf": forms} | {"oneOf": forms}:
            return " or ".join(dict.fromkeys(_type(form, definitions) for form in forms if form.get("type") != "null"))
        case {"type": "array", "prefixItems": items}:
            return f"[{', '.join(_type(item, definitions) for item in items)}]"
        case {"type": "array"}:
            return f"list of {_type(field.get('items', {}), definitions)}"
        case {"type": "object", "additionalProperties": dict(inner)}:
            return f"table: {_type(inner, definitions)} by name"
        case {"type": "string", "pattern": _}:
            return "colour"
        case {"type": kind} if kind in NAMES:
            return NAMES[kind]
    return "anything"


def _ranges(field: Schema) -> Iterator[str]:
    """Yield the allowed ranges of the numbers in `field`. Limits with only technical reasons are omitted."""
    if "type" in field:
        above, least = field.get("exclusiveMinimum"), field.get("minimum")
        below, most = field.get("exclusiveMaximum"), field.get("maximum")
        least, most = (None if limit is not None and abs(limit) >= LARGEST else limit for limit in (least, most))
        signs = (("> ", above), ("≥ ", least), ("< ", below), ("≤ ", most))
        text = " and ".join(f"{sign}{limit:g}" for sign, limit in signs if limit not in (None, SMALLEST))
        if text:
            yield text
    inner = (field.get("items"), field.get("additionalProperties"))
    forms = (*field.get("anyOf", ()), *field.get("prefixItems", ()), *(one for one in inner if isinstance(one, dict)))
    for form in forms:
        yield from _ranges(form)


def _default(field: Schema) -> str:
    value = field.get("default")
    if value is None or value in ({}, []):
        return ""
    return "" if isinstance(value, dict) else code(json.dumps(value, ensure_ascii=False))
