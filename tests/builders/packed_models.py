"""One character in every form in which files are shipped: quantised, packed by meshopt or Draco, other pictures."""

import copy
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from ecs_anim.scenes.rigs import MANNEQUIN
from tests.builders.gltf_builder import glb
from tests.builders.ktx2_files import uastc
from tests.gltf.test_lent_clips import parts
from tests.meshopt.test_meshopt import encoded

MESHOPT, DRACO, KTX2, WEBP = (
    "EXT_meshopt_compression",
    "KHR_draco_mesh_compression",
    "KHR_texture_basisu",
    "EXT_texture_webp",
)
BITS = 14  # of a coordinate of Draco's
COMPONENTS = {"f4": 5126, "u4": 5125, "u2": 5123, "u1": 5121, "i1": 5120}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Packed:
    """The mannequin's finest mesh, its pictures blocks of 4 x 4 texels of one colour each, as it is being packed."""

    def __init__(self) -> None:
        raw, blob = parts(Path(MANNEQUIN).read_bytes())
        self.raw, self.data = copy.deepcopy(raw), bytearray(blob)
        self.raw["animations"] = [own for own in raw["animations"] if own["name"] in ("idle", "walk")]
        for node in self.raw["nodes"]:
            node.pop("extensions", None)
        del self.raw["extensionsUsed"]
        self.primitive = self.raw["meshes"][0]["primitives"][0]
        pixels = np.asarray(Image.open(io.BytesIO(self._bytes(raw["images"][0]["bufferView"]))).convert("RGBA"))
        self.colors = pixels[2::4, 2::4]
        self.picture("PNG")

    def _bytes(self, view: int) -> bytes:
        own = self.raw["bufferViews"][view]
        return bytes(self.data[own.get("byteOffset", 0) :][: own["byteLength"]])

    def array(self, accessor: int) -> np.ndarray:
        """An accessor's values [count, width]."""
        own = self.raw["accessors"][accessor]
        letters = {number: letter for letter, number in COMPONENTS.items()}
        data = self._bytes(own["bufferView"])[own.get("byteOffset", 0) :]
        width = {name: width for width, name in TYPES.items()}[own["type"]]
        return np.frombuffer(data, f"<{letters[own['componentType']]}", own["count"] * width).reshape(-1, width).copy()

    def view(self, data: bytes) -> int:
        self.data += bytes(-len(self.data) % 4)
        self.raw["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)})
        self.data += data
        return len(self.raw["bufferViews"]) - 1

    def use(self, *names: str) -> None:
        for key in ("extensionsUsed", "extensionsRequired"):
            self.raw.setdefault(key, []).extend(names)

    def put(self, accessor: int, values: np.ndarray, normalized: bool = False) -> None:
        """Other values for an accessor, each element at a multiple of four bytes."""
        width, kind = values.shape[1], values.dtype.str[1:]
        rows = np.zeros((len(values), -(-values[0].nbytes // 4) * 4), np.uint8)
        rows[:, : values[0].nbytes] = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
        view = self.view(rows.tobytes())
        self.raw["bufferViews"][view]["byteStride"] = rows.shape[1]
        own = {"bufferView": view, "componentType": COMPONENTS[kind], "count": len(values), "type": TYPES[width]}
        self.raw["accessors"][accessor] = own | ({"normalized": True} if normalized else {})

    def picture(self, kind: str) -> None:
        """The texture as PNG, lossless WEBP or KTX2 (UASTC)."""
        if kind == "KTX2":
            data = uastc(self.colors, packed=True)
        else:
            file = io.BytesIO()
            Image.fromarray(self.colors.repeat(4, axis=0).repeat(4, axis=1)).save(file, kind, lossless=True, exact=True)
            data = file.getvalue()
        self.raw["images"] = [{"bufferView": self.view(data), "mimeType": f"image/{kind.lower()}"}]
        texture = {"sampler": 0}
        name = {"WEBP": WEBP, "KTX2": KTX2}.get(kind)
        self.raw["textures"] = [texture | ({"extensions": {name: {"source": 0}}} if name else {"source": 0})]
        if name:
            self.use(name)

    def quantise(self) -> None:
        """Positions in 16 bits, normals and weights in 8, texture coordinates in 16; matrices undo the first."""
        names = self.primitive["attributes"]
        positions, normals = self.array(names["POSITION"]), self.array(names["NORMAL"])
        low, size = positions.min(axis=0), float(np.ptp(positions, axis=0).max())
        self.put(names["POSITION"], np.rint((positions - low) / size * 65535).astype("<u2"), normalized=True)
        self.put(names["NORMAL"], np.rint(normals * 127).astype("i1"), normalized=True)
        self.put(names["TEXCOORD_0"], np.rint(self.array(names["TEXCOORD_0"]) * 65535).astype("<u2"), normalized=True)
        self.put(names["WEIGHTS_0"], np.rint(self.array(names["WEIGHTS_0"]) * 255).astype("u1"), normalized=True)
        undo = np.eye(4)
        undo[:3, :3], undo[:3, 3] = np.eye(3) * size, low
        binds = self.raw["skins"][0]["inverseBindMatrices"]
        columns = self.array(binds).astype(float).reshape(-1, 4, 4)
        self.put(binds, (undo.T @ columns).reshape(-1, 16).astype("<f4"))
        self.use("KHR_mesh_quantization")

    def pack_views(self) -> None:
        """All views of vertices as meshopt's streams."""
        for accessor in self.primitive["attributes"].values():
            index = self.raw["accessors"][accessor]["bufferView"]
            view = self.raw["bufferViews"][index]
            count = self.raw["accessors"][accessor]["count"]
            stride = view.get("byteStride", view["byteLength"] // count)
            stream = encoded(np.frombuffer(self._bytes(index), np.uint8).reshape(count, stride))
            told = self.raw["bufferViews"][self.view(stream)]
            how = {"mode": "ATTRIBUTES", "byteStride": stride, "count": count}
            view["extensions"] = {MESHOPT: {**told, **how}}
        self.use(MESHOPT)

    def pack_mesh(self, bits: int = BITS) -> None:
        """The primitive as Draco's encoder packs it: positions in some bits, normals in 10, all else as it is."""
        import DracoPy

        names = self.primitive["attributes"]
        values = {name: self.array(own) for name, own in names.items()}
        stream = DracoPy.encode(
            values["POSITION"],
            self.array(self.primitive["indices"]).astype(np.uint32).reshape(-1, 3),
            quantization_bits=bits,
            compression_level=7,
            normals=values["NORMAL"].astype(float),
            normal_quantization_bits=10,
            generic_attributes={20: values["JOINTS_0"], 21: values["WEIGHTS_0"], 22: values["TEXCOORD_0"]},
        )
        own = {"JOINTS_0": 20, "WEIGHTS_0": 21, "TEXCOORD_0": 22}
        decoded = DracoPy.decode(stream)
        for attribute in decoded.attributes:
            kind = {0: "POSITION", 1: "NORMAL"}.get(attribute["attribute_type"])
            own |= {} if kind is None else {kind: attribute["unique_id"]}
        for accessor in names.values():
            self.raw["accessors"][accessor] |= {"count": len(decoded.points)}
            self.raw["accessors"][accessor].pop("bufferView")
        self.raw["accessors"][self.primitive["indices"]].pop("bufferView")
        self.primitive["extensions"] = {DRACO: {"bufferView": self.view(stream), "attributes": own}}
        self.use(DRACO)

    def write(self, path: Path) -> Path:
        self.raw["buffers"] = [{"byteLength": len(self.data)}]
        path.write_bytes(glb(json.dumps(self.raw).encode(), bytes(self.data)))
        return path


FORMS: dict[str, list[Callable[[Packed], None]]] = {
    "plain": [],
    "webp": [lambda own: own.picture("WEBP")],
    "ktx2": [lambda own: own.picture("KTX2")],
    "meshopt": [Packed.pack_views],
    "quantised": [Packed.quantise],
    "quantised_meshopt": [Packed.quantise, Packed.pack_views],
    "draco": [Packed.pack_mesh],
    "coarse_draco": [lambda own: own.pack_mesh(8)],
}


def write_form(name: str, folder: Path) -> Path:
    """A file of the character in one of its forms."""
    packed = Packed()
    for step in FORMS[name]:
        step(packed)
    return packed.write(folder / f"{name}.glb")


def mannequin_under(folder: Path, *, says_speeds: bool = True, **node: list[float]) -> Path:
    """The mannequin's file under a node that places all of it, with or without what its clips say of their speeds."""
    raw, blob = parts(Path(MANNEQUIN).read_bytes())
    for animation in raw["animations"]:
        if not says_speeds:
            animation.pop("extras", None)
    scene = raw["scenes"][raw.get("scene", 0)]
    raw["nodes"].append({"name": "above", "children": scene["nodes"], **node})
    scene["nodes"] = [len(raw["nodes"]) - 1]
    path = folder / "mannequin.glb"
    path.write_bytes(glb(json.dumps(raw).encode(), blob))
    return path
