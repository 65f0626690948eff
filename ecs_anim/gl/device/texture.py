"""Textures on the GPU. Several models can share one texture."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ecs_anim.assets.mesh import Texture
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.resource import Resource
from ecs_anim.support.errors import InputError

PALETTE_UNIT, IMAGE_UNIT, SHADOW_UNIT = 0, 1, 2  # texture units that all programs use
MORPH_UNIT, MORPH_WEIGHTS_UNIT = 3, 4
CONTACTS_UNIT, ACTOR_IDS_UNIT, FIGURES_UNIT, PAST_UNIT, PAST_ACTORS_UNIT = 5, 6, 7, 8, 9
TILES_UNIT = ACTOR_IDS_UNIT  # unit of silhouettes, which do not use actor ids
EMISSIVE_UNIT = 10
NOISE_UNIT = 11
TILE_UNIT = 12
MAX_ANISOTROPY = 8.0
_TEXTURE_MAX_ANISOTROPY = 0x84FE


class TextureObject(Resource):
    """An OpenGL texture.

    The constructor binds the new texture to the image unit. After the call, the previous texture of the image unit is
    no longer bound. This has no effect on drawing, because every draw call binds all textures that it needs.
    """

    def __init__(self, target: int, parameters: Mapping[int, int] = MappingProxyType({})) -> None:
        self.target, self.name = target, self.generate("Textures")
        self.bind(IMAGE_UNIT)
        for parameter, value in parameters.items():
            gl.glTexParameteri(target, parameter, value)

    def bind(self, unit: int) -> None:
        """Bind the texture to the texture unit `unit`."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(self.target, self.name)


class ImageTexture(TextureObject):
    """A texture with an sRGB image, mipmaps and trilinear filtering. Row 0 of the image is at the texture coordinate v
    = 0, as in glTF.

    If the image has variants, the texture is a texture array with one layer for each variant.
    """

    def __init__(self, image: Texture, capabilities: Capabilities) -> None:
        _check_size(image, capabilities)
        self.image, self.user_count = image, 0
        height, width = image.pixels.shape[-3:-1]
        pixels = np.ascontiguousarray(image.pixels, np.uint8)
        rest = 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, address(pixels)
        super().__init__(
            gl.GL_TEXTURE_2D_ARRAY if image.variant_count else gl.GL_TEXTURE_2D,
            smooth(gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_REPEAT if image.repeat else gl.GL_CLAMP_TO_EDGE),
        )
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        if image.variant_count:
            gl.glTexImage3D(self.target, 0, gl.GL_SRGB8_ALPHA8, width, height, image.variant_count, *rest)
        else:
            gl.glTexImage2D(self.target, 0, gl.GL_SRGB8_ALPHA8, width, height, *rest)
        gl.glGenerateMipmap(self.target)
        if (texels := anisotropy(capabilities)) > 1.0:
            gl.glTexParameterf(self.target, _TEXTURE_MAX_ANISOTROPY, texels)


class TextureCache(Resource):
    """Cache of textures on the GPU. All models that use one image object share one texture."""

    def __init__(self, capabilities: Capabilities) -> None:
        self._capabilities = capabilities
        self._textures: list[ImageTexture] = []  # the list is short, so a search for the image object is fast enough

    def acquire(self, image: Texture) -> ImageTexture:
        """Return the texture of an image. The first call for an image creates the texture.

        For each call of `acquire`, the caller must later call `release` once.
        """
        texture = next((known for known in self._textures if known.image is image), None)
        if texture is None:
            texture = self.keep(ImageTexture(image, self._capabilities))
            self._textures.append(texture)
        texture.user_count += 1
        return texture

    def release(self, texture: ImageTexture) -> None:
        """Undo one call of `acquire`. After the last call of `release`, the texture is freed."""
        texture.user_count -= 1
        if not texture.user_count:
            texture.free()
            self._textures.remove(texture)


def anisotropy(capabilities: Capabilities) -> float:
    """Return the level of anisotropic filtering. With the software renderer llvmpipe, levels above 1 are too slow."""
    return 1.0 if capabilities.is_software else min(MAX_ANISOTROPY, capabilities.max_anisotropy)


def _check_size(image: Texture, capabilities: Capabilities) -> None:
    height, width = image.pixels.shape[-3:-1]
    if max(width, height) > capabilities.max_texture_size:
        limit = capabilities.max_texture_size
        raise InputError(
            f"a texture must have at most {limit} pixels per side with this OpenGL (got {width} x {height})."
            " Use a smaller image."
        )
    if image.variant_count > capabilities.max_array_layers:
        limit = capabilities.max_array_layers
        raise InputError(
            f"a texture must have at most {limit} variants with this OpenGL (got {image.variant_count}). Use"
            " fewer variants."
        )


def smooth(minified: int, wrap: int) -> dict[int, int]:
    """Return the texture parameters for filtering: the minification filter, and the wrap mode at the edges."""
    return {
        gl.GL_TEXTURE_MIN_FILTER: minified,
        gl.GL_TEXTURE_MAG_FILTER: gl.GL_LINEAR,
        gl.GL_TEXTURE_WRAP_S: wrap,
        gl.GL_TEXTURE_WRAP_T: wrap,
    }


def exact() -> dict[int, int]:
    """Return the texture parameters for reading texels without filtering."""
    return {gl.GL_TEXTURE_MIN_FILTER: gl.GL_NEAREST, gl.GL_TEXTURE_MAG_FILTER: gl.GL_NEAREST}
