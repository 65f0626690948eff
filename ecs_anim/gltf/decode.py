"""Decoding of parsed JSON to pygltflib's classes, with a check against the type hints of the classes.

pygltflib's own decoder looks the type hints up again for every object. A character with 1,036 accessors takes 1.4 s
with pygltflib's decoder, and 0.02 s with this module. pygltflib's decoder also converts "5" to 5 without a warning,
and does not report the location of an error. This module decodes an object in a list at first use, so errors in unused
objects have no effect.
"""

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from ecs_anim.gltf.format import FormatError, brief, whole

_FLOAT32_MAX = 3.4028234663852886e38
_Where = Any  # a text, or a pair of a location and a name or index in it; converted to a text for an error message
_Convert = Callable[[Any, _Where], Any]

# Properties that glTF 2.0 requires and the loader uses.
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
    """Return an object of the pygltflib class `cls` from parsed JSON. Unknown keys are ignored, and null means absent.

    Raises FormatError with the name of the property that is missing or has the wrong type. Objects in lists raise the
    error at first use.
    """
    return _converter(cls)(raw, where)


class _Records(Sequence[Any]):
    """A list of objects from parsed JSON. Each object is decoded at first use."""

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
    """Return the function that checks and converts JSON values for the type hint `hint`."""
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
            raise _fault(where, f"must be a list (got {brief(raw)})")
        if lazily:
            return _Records(converter, raw, where)
        return [converter(value, (where, index)) for index, value in enumerate(raw)]

    return convert


def _attributes(cls: type) -> _Convert:
    """Return the converter for pygltflib's `Attributes`, which map any attribute name to the index of an accessor."""

    def convert(raw: Any, where: _Where) -> Any:
        result = cls()
        for name, value in _object(raw, where).items():
            vars(result)[name] = _integer(value, (where, name))
        return result

    return convert


def _object(raw: Any, where: _Where) -> dict[str, Any]:
    if type(raw) is not dict:
        raise _fault(where, f"must be an object (got {brief(raw)})")
    return raw


def _integer(raw: Any, where: _Where) -> int:
    value = whole(raw)
    if value is None:
        raise _fault(where, f"must be an integer (got {brief(raw)})")
    return value


def _number(raw: Any, where: _Where) -> float:
    if type(raw) not in (int, float) or not -_FLOAT32_MAX <= raw <= _FLOAT32_MAX:
        raise _fault(where, f"must be a finite number (got {brief(raw)})")
    return float(raw)


def _string(raw: Any, where: _Where) -> str:
    if type(raw) is not str:
        raise _fault(where, f"must be a string (got {brief(raw)})")
    if not raw.isascii():
        try:
            raw.encode()
        except UnicodeEncodeError:
            raise _fault(where, f"must be valid Unicode (got {raw[:30]!a})") from None
    return raw


def _boolean(raw: Any, where: _Where) -> bool:
    if type(raw) is not bool:
        raise _fault(where, f"must be true or false (got {brief(raw)})")
    return raw
