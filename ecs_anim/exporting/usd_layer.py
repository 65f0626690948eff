"""USD layers as plain specs; with the other modules of USD beside it the one home of `pxr`, the extra `usd`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError

MISSING = "USD needs the usd extra: pip install 'ecs-anim[usd]', or name a .glb"

ARGUMENTS = ":SDF_FORMAT_ARGS:"  # what USD takes for the end of a path


def require_usd(path: Path) -> None:
    """Raise InputError where USD is missing, or would not take the path."""
    if not str(path).isprintable() or ARGUMENTS in str(path):
        raise InputError(f"{path}: no file of USD can have this name; name another")
    try:
        import pxr.Usd  # noqa: F401
    except ImportError:
        raise InputError(f"{path}: {MISSING}") from None


class UsdLayer:
    """A file of USD that is being written."""

    def __init__(self, path: Path, frame_rate: int, frames: int) -> None:
        from pxr import Sdf

        self._sdf = Sdf
        self._layer = Sdf.Layer.CreateNew(str(path))
        self.grows = path.suffix.lower() == ".usdc"  # each time that it is saved; others are written anew
        root = self._layer.pseudoRoot
        root.SetInfo("upAxis", "Y")
        root.SetInfo("metersPerUnit", 1.0)
        self._layer.timeCodesPerSecond = self._layer.framesPerSecond = float(frame_rate)
        self._layer.startTimeCode, self._layer.endTimeCode = 0.0, float(frames - 1)

    def set_default(self, name: str) -> None:
        """Say which prim others get who refer to the file."""
        self._layer.defaultPrim = name

    def prim(self, path: str, kind: str = "", *, specifier: str = "def", apis: Sequence[str] = ()) -> Any:
        """A prim of a type; `specifier` is "def", "over" or "class"."""
        prim = self._sdf.CreatePrimInLayer(self._layer, path)
        specifiers = {"def": "SpecifierDef", "over": "SpecifierOver", "class": "SpecifierClass"}
        prim.specifier = getattr(self._sdf, specifiers[specifier])
        if kind:
            prim.typeName = kind
        if apis:
            prim.SetInfo("apiSchemas", self._sdf.TokenListOp.Create(prependedItems=list(apis)))
        return prim

    def instance(self, path: str, of: str) -> None:
        """A prim that shares all that is below another."""
        prim = self.prim(path, "Xform")
        self.refer(prim, of)
        prim.instanceable = True

    def refer(self, prim: Any, of: str, offset: float = 0.0, scale: float = 1.0) -> None:
        """Let a prim be as another of the file is; time t of that is `offset` + `scale` t of the file's."""
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
        """An attribute of a type such as "Float3", with a value for all times; `info` is what is said of it besides."""
        variability = self._sdf.VariabilityUniform if uniform else self._sdf.VariabilityVarying
        attribute = self._sdf.AttributeSpec(prim, name, getattr(self._sdf.ValueTypeNames, kind), variability)
        if value is not None:
            attribute.default = value
        for key, own in (info or {}).items():
            attribute.SetInfo(key, own)
        return attribute

    def animate(self, prim: Any, name: str, kind: str, samples: Mapping[float, Any]) -> None:
        """An attribute with values at times."""
        path = self.set(prim, name, kind).path
        for time, value in samples.items():
            self._layer.SetTimeSample(path, time, value)

    def relate(self, prim: Any, name: str, *targets: str) -> None:
        """A relationship to others of the file."""
        found = self._sdf.RelationshipSpec(prim, name, custom=False).targetPathList.explicitItems
        for target in targets:
            found.append(self._sdf.Path(target))

    def connect(self, prim: Any, name: str, kind: str, source: str) -> None:
        """An attribute that takes its value from another."""
        self.set(prim, name, kind).connectionPathList.explicitItems.append(self._sdf.Path(source))

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Tell nobody of changes before the block ends, which is faster."""
        with self._sdf.ChangeBlock():
            yield

    def save(self) -> None:
        """Write what there is; of a .usdc it need not be in memory any more. Raises OSError."""
        from pxr import Tf

        try:
            saved = self._layer.Save()
        except Tf.ErrorException:
            saved = False
        if not saved:
            raise OSError("USD cannot save the file; the disk may be full")


def usd_name(name: str) -> str:
    """A name as prims may have it."""
    from pxr import Tf

    return str(Tf.MakeValidIdentifier(name))


def places(rows: NDArray[Any]) -> list[Any]:
    """Vectors of [n, 3], or quaternions of [n, 4], x, y, z, w, one by one."""
    from pxr import Gf

    if rows.shape[1] == 3:
        return [Gf.Vec3f(*row) for row in rows.tolist()]
    return [Gf.Quatf(w, x, y, z) for x, y, z, w in rows.tolist()]


def vectors(rows: NDArray[Any]) -> Any:
    """[n, 2] or [n, 3] f32."""
    return _array("Vec2f" if rows.shape[-1] == 2 else "Vec3f", rows, np.float32)


def halves(rows: NDArray[Any]) -> Any:
    """[n, 3] in half precision."""
    return _array("Vec3h", rows, np.float16)


def quaternions(rows: NDArray[Any]) -> Any:
    """[n, 4], x, y, z, w."""
    return _array("Quatf", rows, np.float32)


def integers(values: NDArray[Any]) -> Any:
    """[n] i32."""
    return _array("Int", values.reshape(-1), np.int32)


def floats(values: NDArray[Any]) -> Any:
    """[n] f32."""
    return _array("Float", values.reshape(-1), np.float32)


def matrices(affine: NDArray[Any]) -> Any:
    """Affine matrices [n, 3, 4] that act on columns; USD's act on rows."""
    whole = np.zeros((len(affine), 4, 4))
    whole[:, :3], whole[:, 3, 3] = affine, 1
    return _array("Matrix4d", whole.transpose(0, 2, 1), np.float64)


def _array(kind: str, values: NDArray[Any], dtype: type) -> Any:
    """An array of USD's of a kind, such as "Vec3f"."""
    from pxr import Vt

    return getattr(Vt, f"{kind}Array").FromNumpy(np.ascontiguousarray(values, dtype))


def tokens(names: Sequence[str]) -> Any:
    """[n]."""
    from pxr import Vt

    return Vt.TokenArray(list(names))
