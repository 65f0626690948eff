"""Lists of glTF extensions: extensions that the loader supports, ignores or rejects."""

from collections.abc import Set
from typing import Any

from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, brief

READ = {
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_draco_mesh_compression",
    "KHR_materials_emissive_strength",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "MSFT_lod",
    "VRM",
    "VRMC_vrm",
}
# These extensions change only details of the shading, which crowds do not need. The loader accepts files that require
# these extensions.
_SHADING = {
    f"KHR_materials_{effect}"
    for effect in (
        "anisotropy",
        "clearcoat",
        "dispersion",
        "ior",
        "iridescence",
        "sheen",
        "specular",
        "transmission",
        "variants",
        "volume",
    )
} | {"KHR_lights_punctual"}
_NAMED = 8  # number of items from a long list in a message


def check_required(gltf: Any) -> None:
    """Raise FormatError if a document requires an extension that the loader does not support."""
    missing = sorted(set(gltf.extensionsRequired) - READ - _SHADING)
    if missing:
        raise FormatError(
            "extensionsRequired",
            f"ecs-anim does not support {_listed(missing)}, which the model requires. Export the model without"
            " these extensions.",
        )


def used(document: Document) -> tuple[str, ...]:
    """Return the names of the extensions that the document uses, without duplicates."""
    return tuple(dict.fromkeys((*document.gltf.extensionsUsed, *document.gltf.extensionsRequired)))


def pass_over(document: Document, read: Set[str] = frozenset()) -> tuple[str, ...]:
    """Return the names of the used extensions that the loader does not read. `read` are extensions that the loader
    reads in this document.

    Add one warning that lists these extensions.
    """
    ignored = tuple(name for name in used(document) if name not in READ | read)
    if ignored:
        verb = "is" if len(ignored) == 1 else "are"
        document.warn(
            "extensionsUsed",
            f"{_listed(ignored)} {verb} not supported; the model is drawn without the features of the extensions",
        )
    return ignored


def _listed(names: Any) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(name if name.isidentifier() else brief(name) for name in names[:_NAMED]) + more
