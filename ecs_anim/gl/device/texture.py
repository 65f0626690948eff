"""Images on the GPU, shared by the models that use them."""

from collections.abc import Mapping

import numpy as np

from ecs_anim.assets.mesh import Texture
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.resource import Resource, delete, generate
from ecs_anim.support.errors import InputError

PALETTE_UNIT, IMAGE_UNIT, SHADOW_UNIT = 0, 1, 2  # texture units of all programs
MORPH_UNIT, MORPH_WEIGHTS_UNIT = 3, 4
CONTACTS_UNIT, ACTOR_IDS_UNIT, FIGURES_UNIT, PAST_UNIT, PAST_ACTORS_UNIT = 5, 6, 7, 8, 9
TILES_UNIT = ACTOR_IDS_UNIT  # of silhouettes, which have no ids
EMISSIVE_UNIT = 10
MAX_ANISOTROPY = 8.0
_TEXTURE_MAX_ANISOTROPY = 0x84FE


class ImageTexture(Resource):
    """An sRGB image with mipmaps, filtered trilinearly. Row 0 of the image is at v = 0, as in glTF.

    An image with variants becomes an array of layers.
    """

    def __init__(self, image: Texture, capabilities: Capabilities) -> None:
        _check_size(image, capabilities)
        height, width = image.pixels.shape[-3:-1]
        pixels = np.ascontiguousarray(image.pixels, np.uint8)
        rest = 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, address(pixels)
        self._target = gl.GL_TEXTURE_2D_ARRAY if image.variant_count else gl.GL_TEXTURE_2D
        self.name = generate("Textures")
        self.bind(IMAGE_UNIT)  # where images are bound anew by whoever draws; another unit's texture would be lost
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        if image.variant_count:
            gl.glTexImage3D(self._target, 0, gl.GL_SRGB8_ALPHA8, width, height, image.variant_count, *rest)
        else:
            gl.glTexImage2D(self._target, 0, gl.GL_SRGB8_ALPHA8, width, height, *rest)
        gl.glGenerateMipmap(self._target)
        _set_sampling(self._target, image.repeat, anisotropy(capabilities))

    def bind(self, unit: int) -> None:
        """Bind to a texture unit."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(self._target, self.name)

    def _release(self) -> None:
        delete("Textures", self.name)


class TextureCache(Resource):
    """GPU copies of images, one for each image object however many models use it."""

    def __init__(self, capabilities: Capabilities) -> None:
        self._capabilities = capabilities
        self._entries: list[_Entry] = []  # few: a search by identity keeps each image alive with its entry

    def acquire(self, image: Texture) -> ImageTexture:
        """The GPU copy of an image, made at first use. Give it back with `release`."""
        for entry in self._entries:
            if entry.image is image:
                entry.user_count += 1
                return entry.texture
        texture = ImageTexture(image, self._capabilities)
        self._entries.append(_Entry(image, texture))
        return texture

    def release(self, texture: ImageTexture) -> None:
        """Undo one `acquire`; the last one frees the copy."""
        for index, entry in enumerate(self._entries):
            if entry.texture is texture:
                entry.user_count -= 1
                if entry.user_count == 0:
                    texture.free()
                    del self._entries[index]
                return

    def _release(self) -> None:
        for entry in self._entries:
            entry.texture.free()
        self._entries.clear()


class _Entry:
    def __init__(self, image: Texture, texture: ImageTexture) -> None:
        self.image = image
        self.texture = texture
        self.user_count = 1


def anisotropy(capabilities: Capabilities) -> float:
    """How many texels along a slanted surface are averaged: free on a GPU, four times the frame on llvmpipe."""
    return 1.0 if capabilities.is_software else min(MAX_ANISOTROPY, capabilities.max_anisotropy)


def _check_size(image: Texture, capabilities: Capabilities) -> None:
    height, width = image.pixels.shape[-3:-1]
    if max(width, height) > capabilities.max_texture_size:
        limit = capabilities.max_texture_size
        raise InputError(f"a texture of {width} x {height} pixels: this OpenGL takes at most {limit}; scale it down")
    if image.variant_count > capabilities.max_array_layers:
        limit = capabilities.max_array_layers
        raise InputError(f"{image.variant_count} variants of a texture: this OpenGL takes at most {limit}")


def set_parameters(target: int, parameters: Mapping[int, int]) -> None:
    """Set parameters of the bound texture, by GL's numbers."""
    for parameter, value in parameters.items():
        gl.glTexParameteri(target, parameter, value)


def _set_sampling(target: int, repeat: bool, anisotropy: float) -> None:
    """Filter and wrap of the bound texture."""
    wrap = gl.GL_REPEAT if repeat else gl.GL_CLAMP_TO_EDGE
    filters = {
        gl.GL_TEXTURE_MIN_FILTER: gl.GL_LINEAR_MIPMAP_LINEAR,
        gl.GL_TEXTURE_MAG_FILTER: gl.GL_LINEAR,
        gl.GL_TEXTURE_WRAP_S: wrap,
        gl.GL_TEXTURE_WRAP_T: wrap,
    }
    set_parameters(target, filters)
    if anisotropy > 1.0:
        gl.glTexParameterf(target, _TEXTURE_MAX_ANISOTROPY, anisotropy)
