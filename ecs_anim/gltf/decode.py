"""Conversion of parsed JSON to objects of pygltflib's classes. The module checks the values against the type hints of
the classes.

The decoder in pygltflib is slow, because it evaluates the type hints again for every object. For a character with 1,036
accessors, it takes 1.4 s, and this module takes 0.02 s. In addition, pygltflib's decoder converts the text "5" to the
number 5 without a warning, and its error messages do not contain a location in the file. This module decodes a list
item at its first use. Therefore, an error in a list item has no effect if the loader does not use the item.
"""

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from ecs_anim.gltf.format import FormatError, brief, whole

_FLOAT32_MAX = 3.4028234663852886e38
# location in the file: a text, or a pair of an outer location and a name or index; error messages convert the location
# to a text
_Where = Any
_Convert = Callable[[Any, _Where], Any]

# Properties that glTF 2.0 requires and that the loader uses.
_REQUIRED = {
    "GLTF2": ("asset",),
    "Asset": ("version",),
    "Accessor": ("componentType", "count", "type"),
    "Sparse": ("count", "indices", "values"),
    "AccessorSparseIndices": ("bufferView", "componentType"),
    "AccessorSparseValues": ("bufferView",),
    "BufferView": ("buffer", "byteLength"),
    "Buffer": ("byteLength",),
    "Mesh": ("primitives",),
    "Primitive": ("attributes",),
    "Skin": ("joints",),
    "Animation": ("channels", "samplers"),
    "AnimationChannel": ("sampler", "target"),
    "AnimationChannelTarget": ("path",),
    "AnimationSampler": ("input", "output"),
    "TextureInfo": ("index",),
}
# Properties that the loader does not use. Errors in these properties have no effect.
_IGNORED = {
    "cameras",
    "camera",
    "min",
    "max",
    "generator",
    "copyright",
    "mimeType",
    "minFilter",
    "magFilter",
    "skeleton",
}
_IGNORED |= {"metallicFactor", "roughnessFactor", "metallicRoughnessTexture", "normalTexture", "occlusionTexture"}
# Properties of glTF 2.0 that are missing in pygltflib's classes.
_LACKING: dict[str, dict[str, Any]] = {"Node": {"weights": list[float]}}


def decode(cls: type, raw: Any, where: str = "") -> Any:
    """Convert the parsed JSON value `raw` to an object of the pygltflib class `cls`.

    Unknown JSON keys are ignored. The JSON value null means that the property is absent. Raises FormatError if a
    required property is missing or has the wrong type. The error message contains the name of the property. An error in
    a list item occurs at the first use of the item.
    """
    return _converter(cls)(raw, where)


class _Records(Sequence[Any]):
    """A list of objects from parsed JSON. The list decodes each object at its first use."""

    def __init__(self, convert: _Convert, raw: list[Any], where: _Where) -> None:
        self._convert, self._raw, self._where = convert, raw, where
        self._made: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self._raw)

    def __getitem__(self, index: Any) -> Any:
        if index not in self._made:
            self._made[index] = self._convert(self._raw[index], (self._where, index))
        return self._made[index]


def _fault(where: _Where, rule: str) -> FormatError:
    return FormatError(_told(where), rule)


def _told(where: _Where) -> str:
    if isinstance(where, str):
        return where
    whole, part = _told(where[0]), where[1]
    if isinstance(part, int):
        return f"{whole}[{part}]"
    return f"{whole}.{part}" if whole else part


@cache
def _converter(hint: Any) -> _Convert:
    """Return a function that checks JSON values against the type hint `hint` and converts the values."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Union:
        return _converter(next(argument for argument in arguments if argument is not type(None)))
    if origin is list:
        return _list_of(_converter(arguments[0]), lazily=is_dataclass(arguments[0]))
    if is_dataclass(hint):
        return _record(hint)  # type: ignore[arg-type]
    simple = {int: _integer, float: _number, str: _string, bool: _boolean}
    if hint in simple:
        return simple[hint]
    if origin is dict:
        return _object
    return _attributes(hint)


def _record(cls: type) -> _Convert:
    lacking = _LACKING.get(cls.__name__, {})
    hints = get_type_hints(cls) | lacking
    fields = {name: _converter(hint) for name, hint in hints.items() if name not in _IGNORED}
    fields["extras"] = lambda value, where: value  # extras can contain any JSON
    required = _REQUIRED.get(cls.__name__, ())

    def convert(raw: Any, where: _Where) -> Any:
        values = {}
        for name, value in _object(raw, where).items():
            converter = fields.get(name)
            if converter is not None and value is not None:
                values[name] = converter(value, (where, name))
        for name in required:
            if name not in values:
                raise _fault((where, name), "is missing")
        result = cls(**{name: value for name, value in values.items() if name not in lacking})
        for name in lacking:
            setattr(result, name, values.get(name))
        return result

    return convert


def _list_of(converter: _Convert, *, lazily: bool) -> _Convert:
    def convert(raw: Any, where: _Where) -> Sequence[Any]:
        if type(raw) is not list:
            raise _fault(where, f"the value must be a list (got {brief(raw)})")
        if lazily:
            return _Records(converter, raw, where)
        return [converter(value, (where, index)) for index, value in enumerate(raw)]

    return convert


def _attributes(cls: type) -> _Convert:
    """Return the converter for pygltflib's class `Attributes`.

    An `Attributes` object maps attribute names to accessor indices.
    """

    def convert(raw: Any, where: _Where) -> Any:
        result = cls()
        for name, value in _object(raw, where).items():
            vars(result)[name] = _integer(value, (where, name))
        return result

    return convert


def _object(raw: Any, where: _Where) -> dict[str, Any]:
    if type(raw) is not dict:
        raise _fault(where, f"the value must be a JSON object (got {brief(raw)})")
    return raw


def _integer(raw: Any, where: _Where) -> int:
    value = whole(raw)
    if value is None:
        raise _fault(where, f"the value must be an integer (got {brief(raw)})")
    return value


def _number(raw: Any, where: _Where) -> float:
    if type(raw) not in (int, float) or not -_FLOAT32_MAX <= raw <= _FLOAT32_MAX:
        raise _fault(where, f"the value must be a finite number that fits into float32 (got {brief(raw)})")
    return float(raw)


def _string(raw: Any, where: _Where) -> str:
    if type(raw) is not str:
        raise _fault(where, f"the value must be a string (got {brief(raw)})")
    if not raw.isascii():
        try:
            raw.encode()
        except UnicodeEncodeError:
            raise _fault(where, f"the string must be valid Unicode (got {raw[:30]!a})") from None
    return raw


def _boolean(raw: Any, where: _Where) -> bool:
    if type(raw) is not bool:
        raise _fault(where, f"the value must be true or false (got {brief(raw)})")
    return raw
