"""Reading of glTF materials: colours, emission and textures (glTF 2.0, sections 3.8 and 3.9)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Material, Texture
from ecs_anim.gltf.decode import decode
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, brief, invalid, whole
from ecs_anim.maths import elementary
from ecs_anim.support.files import MissingFile
from ecs_anim.support.images import decode_image

_CLAMP_TO_EDGE = 33071
_WEBP, _KTX2 = "EXT_texture_webp", "KHR_texture_basisu"
_GLOSSINESS = "KHR_materials_pbrSpecularGlossiness"
_STRENGTH = "KHR_materials_emissive_strength"
_DARK = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Surface:
    """A material, and the conversion of the file's texture coordinates for this material."""

    material: Material = field(default_factory=Material)
    texcoord: int = 0  # n of TEXCOORD_n
    uv_transform: NDArray[np.float64] | None = None  # [2, 3], KHR_texture_transform


class Surfaces:
    """Reader of the materials in a document. The reader creates each material at its first use."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._surfaces: dict[int | None, Surface] = {None: Surface()}
        self._textures: dict[int, Texture | None] = {}
        self._images: dict[int | str | None, NDArray[np.uint8] | None] = {}  # images by buffer view or URI

    def surface(self, index: int | None, where: str) -> Surface:
        """Return the material `index`. If `index` is None, return the default material.

        Raise FormatError for invalid data.
        """
        if index not in self._surfaces:
            source = self._document.item("materials", index, where)
            self._surfaces[index] = self._make_surface(source, index, f"materials[{index}]")
        return self._surfaces[index]

    def _make_surface(self, source: Any, index: int | None, where: str) -> Surface:
        factor, info, texture_where = _base_color(source, where)
        texture = None if info is None else self._texture(info.index, f"{texture_where}.index")
        emissive, emissive_texture = self._emission(source, info, where)
        material = Material(
            name=source.name or f"material_{index}",
            base_color=(factor[0], factor[1], factor[2], factor[3]),
            texture=texture,
            double_sided=bool(source.doubleSided),
            alpha_cutoff=_alpha_cutoff(source, where),
            unlit="KHR_materials_unlit" in (source.extensions or {}),
            blended=source.alphaMode == "BLEND",
            emissive=emissive,
            emissive_texture=emissive_texture,
        )
        if info is not None:
            return _placed(material, info, texture_where)
        if emissive_texture is not None:
            return _placed(material, source.emissiveTexture, f"{where}.emissiveTexture")
        return Surface(material)

    def _emission(self, source: Any, base: Any, where: str) -> tuple[tuple[float, float, float], Texture | None]:
        """Return the emissive factor and the emissive texture of a material.

        If the emissive texture and the base colour texture have different texture coordinates, return black and no
        texture.
        """
        extension = (source.extensions or {}).get(_STRENGTH)
        given = extension.get("emissiveStrength", 1.0) if isinstance(extension, dict) else 1.0
        (strength,) = _numbers([given], 1, f"{where}.extensions.{_STRENGTH}.emissiveStrength")
        factor = _numbers(source.emissiveFactor or list(_DARK), 3, f"{where}.emissiveFactor")
        red, green, blue = (max(strength * share, 0.0) for share in factor)
        info, where = source.emissiveTexture, f"{where}.emissiveTexture"
        if info is None or not any((red, green, blue)):
            return (red, green, blue), None
        if base is not None and _place(info) != _place(base):
            self._document.warn(
                where,
                "the emissive texture must have the texture coordinates of the base colour's"
                " texture. The surface emits no light",
            )
            return _DARK, None
        texture = self._texture(info.index, f"{where}.index")
        return (_DARK if texture is None else (red, green, blue)), texture

    def _texture(self, index: int, where: str) -> Texture | None:
        if index not in self._textures:
            texture = self._document.item("textures", index, where)
            self._textures[index] = self._make_texture(texture, f"textures[{index}]")
        return self._textures[index]

    def _make_texture(self, texture: Any, where: str) -> Texture | None:
        source = _source(texture)
        if source is None:
            self._document.warn(
                where, "the texture has no picture in a supported format. The surface is drawn without the texture"
            )
            return None
        image = self._document.item("images", source, f"{where}.source")
        held = image.uri if image.bufferView is None else image.bufferView
        if held not in self._images:  # several images can share one source of bytes
            self._images[held] = self._make_image(image, source)
        pixels = self._images[held]
        if pixels is None:
            return None
        if texture.sampler is None:
            return Texture(pixels)
        sampler = self._document.item("samplers", texture.sampler, f"{where}.sampler")
        return Texture(pixels, repeat=not sampler.wrapS == sampler.wrapT == _CLAMP_TO_EDGE)

    def _make_image(self, image: Any, index: int) -> NDArray[np.uint8] | None:
        """Return the pixels of an image. If the image file is missing, add a warning and return None."""
        where = f"images[{index}]"
        if image.bufferView is not None:
            return _decode_image(bytes(self._document.view(image.bufferView, f"{where}.bufferView")), where)
        if image.uri is None:
            raise invalid(where, "the image has no uri and no bufferView")
        try:
            data = self._document.picture_bytes(image.uri, f"{where}.uri")
        except MissingFile:
            self._document.warn(where, f"{brief(image.uri)} does not exist. The surface is drawn without the texture")
            return None
        return _decode_image(data, where)


def _source(texture: Any) -> Any:
    """Return the image index of a texture.

    If a texture has several images, the function prefers WebP, then PNG or JPEG, then KTX2. The function returns a KTX2
    image only if there is no other image, because KTX2 needs an optional library.
    """
    extensions = texture.extensions or {}
    webp, ktx2 = (own if isinstance(own := extensions.get(name), dict) else None for name in (_WEBP, _KTX2))
    plain = texture.source if webp is None else webp.get("source")
    return ktx2.get("source") if plain is None and ktx2 is not None else plain


def _base_color(source: Any, where: str) -> tuple[list[float], Any, str]:
    """Return the base colour factor and the base colour texture of a material. Also return the location of this data in
    the file.

    For a specular-glossiness material, return the diffuse factor and the diffuse texture.
    """
    glossy = (source.extensions or {}).get(_GLOSSINESS)
    if isinstance(glossy, dict):
        where = f"{where}.extensions.{_GLOSSINESS}"
        factor = _numbers(glossy.get("diffuseFactor", [1.0] * 4), 4, f"{where}.diffuseFactor")
        return factor, _texture_info(glossy.get("diffuseTexture"), f"{where}.diffuseTexture"), f"{where}.diffuseTexture"
    pbr, where = source.pbrMetallicRoughness, f"{where}.pbrMetallicRoughness"
    given = None if pbr is None else pbr.baseColorFactor
    factor = [1.0] * 4 if given is None else _numbers(given, 4, f"{where}.baseColorFactor")
    return factor, None if pbr is None else pbr.baseColorTexture, f"{where}.baseColorTexture"


def _texture_info(raw: Any, where: str) -> Any:
    import pygltflib

    return None if raw is None else decode(pygltflib.TextureInfo, raw, where)


def _place(info: Any) -> str:
    """Return a text that identifies the texture coordinates and the texture transform of a texture reference."""
    return repr((info.texCoord or 0, (info.extensions or {}).get("KHR_texture_transform")))


def _alpha_cutoff(source: Any, where: str) -> float | None:
    mode = source.alphaMode or "OPAQUE"
    if mode == "MASK":
        return 0.5 if source.alphaCutoff is None else source.alphaCutoff
    if mode not in ("OPAQUE", "BLEND"):
        raise invalid(
            f"{where}.alphaMode", f"the alpha mode of a material must be OPAQUE, MASK or BLEND (got {brief(mode)})"
        )
    return None


def _placed(material: Material, info: Any, where: str) -> Surface:
    """Return a `Surface` for `material`.

    `info` states the texture coordinate set and the extension KHR_texture_transform.
    """
    texcoord = info.texCoord or 0
    extension = (info.extensions or {}).get("KHR_texture_transform")
    if not isinstance(extension, dict):
        return Surface(material, texcoord)
    where = f"{where}.extensions.KHR_texture_transform"
    offset = _numbers(extension.get("offset", [0.0, 0.0]), 2, f"{where}.offset")
    scale = _numbers(extension.get("scale", [1.0, 1.0]), 2, f"{where}.scale")
    (angle,) = _numbers([extension.get("rotation", 0.0)], 1, f"{where}.rotation")
    instead = extension.get("texCoord", texcoord)
    texcoord = whole(instead)
    if texcoord is None:
        raise invalid(f"{where}.texCoord", f"the value of the key `texCoord` must be an integer (got {brief(instead)})")
    c, s = float(elementary.cos(angle)), float(elementary.sin(angle))
    rotate = np.array([[c, s], [-s, c]])
    return Surface(material, texcoord, np.column_stack([rotate * scale, offset]))


def _numbers(value: Any, count: int, where: str) -> list[float]:
    numbers = isinstance(value, list) and all(type(v) in (int, float) and abs(v) < 1e9 for v in value)
    if not numbers or len(value) != count:
        raise invalid(where, f"the value must be a list of {count} finite number{'s' * (count > 1)}")
    return [float(v) for v in value]


def _decode_image(data: bytes, where: str) -> NDArray[np.uint8]:
    """Decode an image file to RGBA pixels [height, width, 4] u8."""
    try:
        return decode_image(data)
    except ValueError as error:
        raise FormatError(where, str(error)) from None
