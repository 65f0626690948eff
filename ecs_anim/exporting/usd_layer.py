"""Writer of USD layers. The writer creates the Sdf specs of prims and attributes directly.

The extra `usd` installs the library `pxr`. Only the USD modules of this package import `pxr`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError

MISSING = "USD needs usd-core. Install it with pip install 'ecs-anim[usd]', or export a .glb."

# USD reads this text as the end of a file path, so a file name must not contain it.
ARGUMENTS = ":SDF_FORMAT_ARGS:"
# The numpy dtype of each USD array type. All types that are not listed contain float32 numbers.
DTYPES = {"IntArray": np.int32, "Half3Array": np.float16, "Matrix4dArray": np.float64}


def require_usd(path: Path) -> None:
    """Raise InputError if the extra `usd` is missing, or if USD cannot write to `path`."""
    if not str(path).isprintable() or ARGUMENTS in str(path):
        raise InputError(
            f"{path}: the name of a USD file must contain only printable characters, and must not contain"
            f" {ARGUMENTS!r}. Use another file name."
        )
    try:
        import pxr.Usd  # noqa: F401
    except ImportError:
        raise InputError(f"{path}: {MISSING}") from None


class UsdLayer:
    """Writer of one USD file."""

    def __init__(self, path: Path, frame_rate: int, frames: int) -> None:
        from pxr import Sdf

        self._sdf = Sdf
        self._layer = Sdf.Layer.CreateNew(str(path))
        # True = a save appends to the file (.usdc). For .usda files, each save writes the complete file.
        self.grows = path.suffix.lower() == ".usdc"
        root = self._layer.pseudoRoot
        root.SetInfo("upAxis", "Y")
        root.SetInfo("metersPerUnit", 1.0)
        self._layer.timeCodesPerSecond = self._layer.framesPerSecond = float(frame_rate)
        self._layer.startTimeCode, self._layer.endTimeCode = 0.0, float(frames - 1)

    def set_default(self, name: str) -> None:
        """Make the prim `name` the default prim.

        A reference to the file without a prim path refers to the default prim.
        """
        self._layer.defaultPrim = name

    def prim(self, path: str, kind: str = "", *, specifier: str = "def", apis: Sequence[str] = ()) -> Any:
        """Add a prim of type `kind` at `path`. `specifier` is "def", "over" or "class"."""
        prim = self._sdf.CreatePrimInLayer(self._layer, path)
        specifiers = {"def": "SpecifierDef", "over": "SpecifierOver", "class": "SpecifierClass"}
        prim.specifier = getattr(self._sdf, specifiers[specifier])
        if kind:
            prim.typeName = kind
        if apis:
            prim.SetInfo("apiSchemas", self._sdf.TokenListOp.Create(prependedItems=list(apis)))
        return prim

    def instance(self, path: str, of: str) -> None:
        """Add a prim at `path` that shares all descendants of the prim at `of`."""
        prim = self.prim(path, "Xform")
        self.refer(prim, of)
        prim.instanceable = True

    def refer(self, prim: Any, of: str, offset: float = 0.0, scale: float = 1.0) -> None:
        """Let `prim` refer to the prim at `of`.

        Time t of the prim at `of` is time `offset` + `scale` * t of the file.
        """
        reference = self._sdf.Reference("", of, self._sdf.LayerOffset(offset, scale))
        prim.referenceList.prependedItems.append(reference)

    def set(
        self,
        prim: Any,
        name: str,
        kind: str,
        value: Any = None,
        *,
        uniform: bool = False,
        info: Mapping[str, Any] | None = None,
    ) -> Any:
        """Add an attribute with one value for all times. `kind` is the type, such as "Float3" or "Point3fArray".

        For an array of numbers, `value` is a numpy array. For an array of tokens, `value` is a list. For an asset,
        `value` is a text. `info` contains additional metadata of the attribute.
        """
        variability = self._sdf.VariabilityUniform if uniform else self._sdf.VariabilityVarying
        attribute = self._sdf.AttributeSpec(prim, name, getattr(self._sdf.ValueTypeNames, kind), variability)
        if value is not None:
            attribute.default = self._value(kind, value)
        for key, own in (info or {}).items():
            attribute.SetInfo(key, own)
        return attribute

    def animate(self, prim: Any, name: str, kind: str, samples: Mapping[Any, Any]) -> None:
        """Add an attribute with one value for each time code."""
        path = self.set(prim, name, kind).path
        for time, value in samples.items():
            self._layer.SetTimeSample(path, time, self._value(kind, value))

    def relate(self, prim: Any, name: str, *targets: str) -> None:
        """Add a relationship to other prims of the file."""
        found = self._sdf.RelationshipSpec(prim, name, custom=False).targetPathList.explicitItems
        for target in targets:
            found.append(self._sdf.Path(target))

    def connect(self, prim: Any, name: str, kind: str, source: str) -> None:
        """Add an attribute that takes its value from the attribute at `source`."""
        self.set(prim, name, kind).connectionPathList.explicitItems.append(self._sdf.Path(source))

    def _value(self, kind: str, value: Any) -> Any:
        if kind == "Asset":
            return self._sdf.AssetPath(value)
        array = getattr(self._sdf.ValueTypeNames, kind).type.pythonClass
        if isinstance(value, np.ndarray):
            return array.FromNumpy(np.ascontiguousarray(value, DTYPES.get(kind, np.float32)))
        return array(value) if isinstance(value, list) else value

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Delay USD's change notices until the `with` block ends, so that writing takes less time."""
        with self._sdf.ChangeBlock():
            yield

    def save(self) -> None:
        """Write all prims to the file. Raise OSError if writing fails.

        For a .usdc file, the save frees the memory of the prims.
        """
        from pxr import Tf

        try:
            saved = self._layer.Save()
        except Tf.ErrorException:
            saved = False
        if not saved:
            raise OSError("USD cannot save the file. The disk may be full.")


def usd_name(name: str) -> str:
    """Return a valid USD prim name: `name` itself, or a name that is similar to `name`."""
    from pxr import Tf

    return str(Tf.MakeValidIdentifier(name))


def places(rows: NDArray[Any]) -> list[Any]:
    """Return USD vectors for rows [n, 3], or USD quaternions for rows [n, 4] with x, y, z, w."""
    from pxr import Gf

    if rows.shape[1] == 3:
        return [Gf.Vec3f(*row) for row in rows.tolist()]
    return [Gf.Quatf(w, x, y, z) for x, y, z, w in rows.tolist()]
