"""GPU buffers for the meshes of rigs, bones and markers."""

from collections.abc import Callable

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.picture.renderer import Renderer


class UploadedModels:
    """The GPU buffers for the meshes of one world. Crowds with the same rig use the same buffers."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._models: dict[object, ModelBuffers] = {}

    def of(self, key: object, meshes: Callable[[], tuple[Mesh, ...]], skinning: Method = "linear") -> ModelBuffers:
        """Return the GPU buffers for the key `key`.

        The first call with a key calls `meshes()` and uploads its result.
        """
        if key not in self._models:
            self._models[key] = self._renderer.upload(meshes(), skinning)
        return self._models[key]

    def level(self, rig: Rig, level: int, skinning: Method) -> ModelBuffers:
        """Return the GPU buffers for one level of detail of a rig."""
        meshes = rig.level(level)
        return self.of(meshes, lambda: meshes, skinning)

    def forget(self) -> None:
        """Free all buffers."""
        for buffers in self._models.values():
            buffers.free()
        self._models.clear()
