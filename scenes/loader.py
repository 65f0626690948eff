"""Loader of scene files.

The loader converts TOML text to a validated model. For each mistake in a scene file, the loader reports the scene key
and a fix.
"""

import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ecs_anim.assets.rig import Rig
from ecs_anim.scenes.former_keys import former_keys, present_key
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema import OpenSceneModel, SceneModel
from ecs_anim.scenes.shipped import no_scene, shipped_checks, shipped_folder, shipped_scenes, shipped_text
from ecs_anim.scenes.sizes import require_sizes
from ecs_anim.support.errors import InputError, nearest
from ecs_anim.support.files import Kind, MissingFile, read_text

SCENE = Kind("scene file", "scene_bytes", ("scene", "toml", "unknown"))

Keys = tuple[int | str, ...]
Read = TypeVar("Read", bound=BaseModel)
# a path or a name, TOML text, or a dict with the content of such text
Source = str | os.PathLike[str] | Mapping[str, Any]

TOO_LONG = "an integer has too many digits. Write a smaller number"
TOO_DEEP = "tables or lists are nested too deeply. Write fewer levels"


@dataclass(frozen=True)
class SceneFile:
    """A scene that the loader has read and validated."""

    label: str  # name in messages
    folder: Path  # base folder of relative paths
    model: SceneModel
    models: Mapping[str, Rig] = field(default_factory=dict)  # rigs from the caller; `rigs.NAME.model` can name them
    places: Mapping[str, str] = field(default_factory=dict)  # for keys from another file: the place for messages

    def key(self, key: str) -> SceneKey:
        """Return a key of this scene for messages."""
        return SceneKey(self.label, self.places.get(key, key))


def read_scene(source: str | os.PathLike[str], *, is_open: bool = False) -> SceneFile:
    """Read a scene from a path, or read a shipped scene by its name. Raises InputError if the scene is invalid.

    If `is_open` is True, the function accepts unknown keys of crowds. User parts in the scene can define such keys.
    """
    text = os.fspath(source)
    if text in (*shipped_scenes(), *shipped_checks()):
        return parse_scene(shipped_text(text), f"{text}.toml", shipped_folder(), is_open=is_open)
    path = Path(source)
    try:
        return parse_scene(read_text(path, SCENE), text, path.parent, is_open=is_open)
    except MissingFile:
        raise no_scene(text) from None


def scene_of(source: Source, *, is_open: bool = False) -> SceneFile:
    """Return a scene from a path, a name, TOML text or a dict. Messages call a text "<text>" and a dict "<dict>".

    Relative paths in TOML text and in dicts are relative to the working directory. Raises InputError if the scene is
    invalid.
    """
    if isinstance(source, Mapping):
        return _scene(plain_data(source), "<dict>", Path.cwd(), is_open)
    if isinstance(source, str) and is_toml(source):
        return parse_scene(source, "<text>", Path.cwd(), is_open=is_open)
    return read_scene(source, is_open=is_open)


def parse_scene(text: str, label: str, folder: Path, *, is_open: bool = False) -> SceneFile:
    """Validate the text of a scene file, and return the scene. For an unknown key, raises an InputError that names this
    key and the most similar known key.
    """
    return _scene(parse_toml(text, label), label, folder, is_open)


def parse_toml(text: str, label: str) -> dict[str, Any]:
    """Return the content of a TOML text as a dict. Raises InputError if the text is not valid TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{label}: not valid TOML: {error}. Correct the text.") from None
    except RecursionError:
        raise InputError(f"{label}: {TOO_DEEP}") from None
    except ValueError:  # Python's int raises this, and tomllib does not convert it
        raise InputError(f"{label}: not valid TOML: {TOO_LONG}.") from None


def is_toml(source: str) -> bool:
    """Return whether a string is TOML text and not a path. A path can also contain the character '='."""
    return "\n" in source or ("=" in source and not source.endswith(".toml") and not os.path.isfile(source))


def plain_data(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dict that contains only types of TOML. The function converts paths, numpy numbers and numpy arrays.

    Raises InputError.
    """
    try:
        data: dict[str, Any] = json.loads(json.dumps(source, default=_plain))
    except RecursionError:
        raise InputError(f"<dict>: {TOO_DEEP}") from None
    except (TypeError, ValueError) as error:  # keys that are not text, or a list that contains itself
        raise InputError(
            f"<dict>: the dict must contain only values that a scene file can contain ({error}). Replace the"
            " other values."
        ) from None
    return data


def _plain(value: Any) -> Any:
    """Return `value`, converted to types of TOML."""
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _scene(data: dict[str, Any], label: str, folder: Path, is_open: bool) -> SceneFile:
    """Validate `data` and return the scene. If `is_open` is true, crowds can have unknown keys for user parts."""
    require_known(SceneModel, data, label, "scene", "[rigs] and [[crowds]]")
    try:
        model = validated(OpenSceneModel if is_open or data.get("parts") else SceneModel, data, label)
    except RecursionError:
        raise InputError(f"{label}: {TOO_DEEP}") from None
    require_sizes(label, model)
    return SceneFile(label, folder, model)


def require_known(table: type[BaseModel], data: Mapping[str, Any], label: str, kind: str, keys: str) -> None:
    """Raise InputError if `data` has no key of `table`.

    A file without any known key is probably not a scene, so the message does not list the known keys.
    """
    if data and not data.keys() & table.model_fields.keys():
        raise InputError(
            f"{label}: the file must be a {kind}, but it has no key of a {kind}. Name another file, or write {keys}."
        )


def validated(table: type[Read], data: Any, label: str, where: Keys = ()) -> Read:
    """Return `data` as a validated table. `where` contains the keys that lead to `data` in the scene file.

    Raises InputError with the key of each mistake.
    """
    try:
        return table.model_validate_json(json.dumps(data, default=str))
    except ValidationError as error:
        raise InputError(*(f"{label}: {line}" for line in _explain(error, data, table, where))) from None
    except ValueError:  # Python's int raises this for a number with too many decimal digits
        raise InputError(f"{label}: {TOO_LONG}") from None


def key_path(parts: Keys) -> str:
    """Return a key path as text, such as `crowds[0].clips` for `('crowds', 0, 'clips')`."""
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def unknown_key(
    where: str, key: str, known: Iterable[str], tables: Iterable[type[BaseModel]], listed: set[str] | None = None
) -> str:
    """Return the error message for the key `key`, which does not exist in any of `tables`.

    If `listed` does not contain the list of the known keys yet, the message lists the known keys.
    """
    if present := present_key(key, tables):
        return f"{where}: this key is now {present}. Use the new name."
    keys = ", ".join(known)
    if near := nearest(key, keys.split(", ")):
        return f"{where}: unknown key;{near}"
    if listed is not None and keys in listed:
        return f"{where}: unknown key. The line above lists the known keys"
    if listed is not None:
        listed.add(keys)
    return f"{where}: unknown key; known here: {keys}"


def _explain(error: ValidationError, data: Any, table: type[BaseModel], where: Keys) -> list[str]:
    """Return a line for each mistake in `error`. Only the first line about a table lists the table's keys."""
    mistakes = _apart(sorted(error.errors(include_url=False), key=lambda m: m["type"] != "extra_forbidden"), data)
    mistakes = _without_renamed(mistakes, data)
    listed: set[str] = set()
    return [_line(mistake, data, table, where, listed) for mistake in mistakes]


def _line(mistake: ErrorDetails, data: Any, table: type[BaseModel], where: Keys, listed: set[str]) -> str:
    keys, tables = _locate(mistake["loc"], data, table)
    key, said = key_path((*where, *keys)), mistake["input"]
    match mistake["type"]:
        case "json_invalid":
            message = mistake["msg"]
            return TOO_DEEP if "recursion" in message else f"each text must be valid Unicode ({message})"
        case "extra_forbidden":
            known = sorted({name for own in tables for name in _keys(own)})
            return unknown_key(key, str(mistake["loc"][-1]), known, tables, listed)
        case "missing":
            name = mistake["loc"][-1]
            return f"{key}.{name}: this key is missing{_about(name, tables)}".removeprefix(".")
        case "union_tag_invalid":
            tag, kinds = str(mistake["ctx"]["tag"]), str(mistake["ctx"]["expected_tags"]).replace("'", "")
            return f"{key}.kind: unknown kind {tag!r};{nearest(tag, kinds.split(', '))} kinds are {kinds}"
        case "string_pattern_mismatch":
            return f"{key}: should be a colour such as '#3b82f6' (got {said!r})"
        case kind:
            message = mistake["msg"].removeprefix("Value error, ").replace("Input should", "should")
            # a rule about several keys of this table failed
            is_whole_table = isinstance(said, dict) and kind == "value_error"
            return f"{key}: {message.replace('an object', 'a table')}" + (
                "" if is_whole_table else f" (got {_short(said)})"
            )


def _apart(mistakes: Sequence[ErrorDetails], data: Any) -> list[ErrorDetails]:
    """Return one mistake for each key. If a value can have several types, the library pydantic reports a separate
    mistake for each type.

    If an item inside a table or a list has a mistake, the function omits mistakes about the type of this table or list.
    """
    keys = [_keys_of(mistake, data) for mistake in mistakes]
    return [
        mistake
        for i, (mistake, own) in enumerate(zip(mistakes, keys, strict=True))
        if own not in keys[:i] and not any(other[: len(own)] == own != other for other in keys)
    ]


def _without_renamed(mistakes: Sequence[ErrorDetails], data: Any) -> list[ErrorDetails]:
    """Omit each missing key whose table has a former name of this key: the line about the former name is enough."""
    unknown = {_keys_of(mistake, data) for mistake in mistakes if mistake["type"] == "extra_forbidden"}

    def is_renamed(mistake: ErrorDetails) -> bool:
        *table, name = _keys_of(mistake, data)
        return any((*table, former) in unknown for former in former_keys(str(name)))

    return [mistake for mistake in mistakes if mistake["type"] != "missing" or not is_renamed(mistake)]


def _keys_of(mistake: ErrorDetails, data: Any) -> Keys:
    """Return the keys that lead to a mistake, including a missing key.

    The result does not contain the names that pydantic gives to union members.
    """
    keys: list[int | str] = [part for part, _ in _steps(mistake["loc"], data)]
    last = mistake["loc"][-1:]
    return (*keys, *last) if mistake["type"] == "missing" and isinstance(last[0], str) else tuple(keys)


def _short(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _about(key: int | str, tables: Iterable[type[BaseModel]]) -> str:
    """Return a colon and the description of the key `key` in `tables`. If no table describes the key, return ""."""
    fields = (field for table in tables for name, field in table.model_fields.items() if key == (field.alias or name))
    return next((f": {field.description}" for field in fields if field.description), "")


def _locate(loc: Keys, data: Any, table: type[BaseModel]) -> tuple[Keys, list[type[BaseModel]]]:
    """Return the keys that lead to the error location `loc`.

    Also return all possible types of the table that contains the error.
    """
    tables: list[type[BaseModel]] = [table]
    keys: list[int | str] = []
    for part, held in _steps(loc, data):
        keys.append(part)
        inner = [found for table in tables if part in _keys(table) for found in _tables_in(_keys(table)[part])]
        tables = [table for table in inner if _is_kind(table, held)] or inner or tables
    return tuple(keys), tables


def _steps(loc: Keys, data: Any) -> Iterator[tuple[int | str, Any]]:
    """Yield each key of the error location `loc` with the value at that key.

    The library pydantic adds the names of union members to the location. The function skips a name if the name is not a
    key of the data. The function also skips a name that is equal to the `kind` of the table.
    """
    named = False
    for part in loc:
        if not named and isinstance(data, dict) and part == data.get("kind"):
            named = True
            continue
        try:
            data = data[part]
        except (TypeError, LookupError):
            continue
        named = False
        yield part, data


def _keys(table: type[BaseModel]) -> dict[Any, Any]:
    return {field.alias or name: field.annotation for name, field in table.model_fields.items()}


def _is_kind(table: type[BaseModel], data: Any) -> bool:
    """Return whether the key `kind` of `data` fits the table type `table`.

    A table type without `kind` fits all data.
    """
    kind = table.model_fields.get("kind")
    return kind is None or (isinstance(data, dict) and data.get("kind", kind.default) == get_args(kind.annotation)[0])


def _tables_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the table types in an annotation such as `list[Model]`, `dict[str, Model]` or `A | B`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for argument in get_args(annotation) for table in _tables_in(argument)]
