"""Crowds as USD: by UsdSkel's own skinning people are where they were."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.support.errors import InputError
from tests.export_support import WAYS, scene_text, skinned_vertices

pytest.importorskip("pxr.UsdSkel", reason="USD needs the extra 'usd'")

from pxr import Usd, UsdGeom, UsdShade, UsdSkel  # noqa: E402

NEAR = 1e-4  # [m]


def usd_vertices(stage: "Usd.Stage", frame: float) -> dict[str, list[np.ndarray]]:
    """Vertices [vertex, 3] of each mesh of each actor who is visible, by UsdSkel."""
    found: dict[str, list[np.ndarray]] = {}
    cache, places = UsdSkel.Cache(), UsdGeom.XformCache(frame)
    instances = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
    for prim in stage.Traverse():
        if not prim.IsA(UsdSkel.Root) or UsdGeom.Imageable(prim).ComputeVisibility(frame) == "invisible":
            continue
        root = UsdSkel.Root(prim)
        cache.Populate(root, instances)
        place = np.array(places.GetLocalToWorldTransform(prim))
        for binding in cache.ComputeSkelBindings(root, instances):
            skeleton = cache.GetSkelQuery(binding.GetSkeleton())
            transforms = skeleton.ComputeSkinningTransforms(frame)
            animation = skeleton.GetAnimQuery()
            weights = animation.ComputeBlendShapeWeights(frame) if animation.GetBlendShapeOrder() else None
            for skinning in binding.GetSkinningTargets():
                mesh = UsdGeom.PointBased(skinning.GetPrim())
                points = mesh.GetPointsAttr().Get()
                if skinning.HasBlendShapes() and weights is not None:
                    shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(skinning.GetPrim()))
                    own = skinning.GetBlendShapeMapper().Remap(weights)
                    told = shapes.ComputeSubShapeWeights(own)
                    indices, offsets = shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets()
                    assert shapes.ComputeDeformedPoints(*told, indices, offsets, points)
                mapper = skinning.GetJointMapper()
                own = mapper.RemapTransforms(transforms) if mapper else transforms
                assert skinning.ComputeSkinnedPoints(own, points, frame)
                moved = np.array(points) @ place[:3, :3] + place[3, :3]
                found.setdefault(prim.GetName(), []).append(moved)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_people_are_where_they_were(way, tmp_path):
    """Within a tenth of a millimetre, whoever poses them and whatever corrects their poses."""
    frames = 8
    with ea.load_scene(WAYS[way]) as world, ea.load_scene(WAYS[way]) as same:
        stage = Usd.Stage.Open(str(ea.export(world, tmp_path / "x.usdc", frames=frames)))
        assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, frames - 1)
        assert stage.GetTimeCodesPerSecond() == 30
        for frame in range(frames):
            told, wanted = usd_vertices(stage, frame), skinned_vertices(same)
            assert len(told) == len(wanted) > 0
            for number, shapes in wanted.items():
                for a, b in zip(shapes, told[f"actor_{number}"], strict=True):
                    np.testing.assert_allclose(b, a, atol=NEAR, rtol=0)
            same.step(1 / 30)
