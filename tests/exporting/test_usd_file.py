"""Crowds as USD: by UsdSkel's own skinning people are where they were."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.character import Character
from ecs_anim.support.errors import InputError
from tests.helpers import EXHAUSTIVE, real, some
from tests.helpers.export import MATERIALS, WAYS, come_and_go, scene_text, skinned_vertices

pytest.importorskip("pxr.UsdSkel", reason="USD needs the extra 'usd'")

from pxr import Sdf, Usd, UsdGeom, UsdShade, UsdSkel

NEAR = 1e-4  # [m]


def usd_vertices(stage: "Usd.Stage", frame: float) -> dict[str, list[np.ndarray]]:
    """Return vertices [vertex, 3] of each mesh of each visible actor, by UsdSkel."""
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


@EXHAUSTIVE
@pytest.mark.parametrize("way", some(WAYS, "hybrid"))
def test_people_are_where_they_were(way, tmp_path):
    """Vertices match within a tenth of a millimetre, for CPU and GPU poses and all corrections."""
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


def own_motions(stage: "Usd.Stage") -> list["Usd.Prim"]:
    """Return the motions of actors that do not only play clips."""
    return [prim for prim in stage.Traverse() if prim.GetName() == "Motion" and not prim.HasAuthoredReferences()]


@EXHAUSTIVE
def test_who_only_plays_clips_shares_them(tmp_path):
    """And is right all the same two seconds and some turns later, at any speed."""
    text = scene_text(count=12, more="locomotion = {}").replace('"walk" }', '"walk", speed = [0.7, 1.3] }')
    frames = 61
    with ea.load_scene(text) as world, ea.load_scene(text) as same:
        stage = Usd.Stage.Open(str(ea.export(world, tmp_path / "x.usdc", frames=frames)))
        assert own_motions(stage) == []
        assert len(stage.GetPrimAtPath("/Motions").GetAllChildren()) == 1
        for frame in range(frames):
            if frame % 12 == 0:
                told = usd_vertices(stage, frame)
                for number, shapes in skinned_vertices(same).items():
                    np.testing.assert_allclose(told[f"actor_{number}"][0], shapes[0], atol=NEAR, rtol=0)
            same.step(1 / 30)


def test_who_fades_has_joints_of_their_own(tmp_path):
    with ea.load_scene(scene_text(("walk",), count=3)) as world:
        ea.crowd(world, "people").fade_to([1], "walk", 0.05, phase=0.5, restart=True)
        stage = Usd.Stage.Open(str(ea.export(world, tmp_path / "x.usdc", frames=6)))
    assert [str(prim.GetPath()) for prim in own_motions(stage)] == ["/Crowds/people/actor_2/Motion"]


def test_who_is_not_there_is_invisible(tmp_path):
    with ea.load_scene(scene_text()) as world:
        come_and_go(world)
        stage = Usd.Stage.Open(str(ea.export(world, tmp_path / "x.usdc", frames=6)))
    seen = [{*usd_vertices(stage, frame)} for frame in range(6)]
    both = {"actor_2", "actor_3"}
    assert seen == [both | {"actor_1"}] * 2 + [both | {"actor_4"}] * 4


def test_a_look_is_one_body(tmp_path):
    """Instances of it share a prototype; its pictures lie beside the file, which says where."""
    text = scene_text(count=30, more='tints = ["#c8553d", "#3d6fa5"]')
    with ea.load_scene(text) as world:
        path = ea.export(world, tmp_path / "x.usdc", frames=2)
    stage = Usd.Stage.Open(str(path))
    assert len(stage.GetPrototypes()) == 2
    files = set()
    for prim in Usd.PrimRange.AllPrims(stage.GetPseudoRoot()):
        if prim.IsA(UsdShade.Shader) and UsdShade.Shader(prim).GetIdAttr().Get() == "UsdUVTexture":
            files.add(UsdShade.Shader(prim).GetInput("file").Get().resolvedPath)
    assert files == {str(own) for own in (tmp_path / "x_pictures").iterdir()}
    assert len(files) == 2
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        if prim.IsA(UsdGeom.Mesh):
            material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
            assert material.ComputeSurfaceSource()[0].GetIdAttr().Get() == "UsdPreviewSurface"
            assert UsdSkel.BindingAPI(prim).GetInheritedSkeleton()


@pytest.mark.parametrize(("model", "clip"), some(MATERIALS, "lattice"))
def test_usds_own_validators_find_nothing(model, clip, tmp_path):
    """And surfaces are as the rig has them; v of texture coordinates counts up from the lower edge."""
    with ea.load_scene(scene_text((clip,), count=2, model=model)) as world:
        meshes = ea.crowd(world, "people").rig.level(0)
        stage = Usd.Stage.Open(str(ea.export(world, tmp_path / "x.usdc", frames=3)))
    validation = pytest.importorskip("pxr.UsdValidation", reason="older USD has none")
    validators = validation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 10
    assert [own.GetMessage() for own in validation.ValidationContext(validators).Validate(stage)] == []
    body = [prim for prim in stage.GetPrototypes()[0].GetChildren() if prim.IsA(UsdGeom.Mesh)]
    for prim, mesh in zip(body, meshes, strict=True):
        assert UsdGeom.Mesh(prim).GetDoubleSidedAttr().Get() == mesh.material.double_sided
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        surface = material.ComputeSurfaceSource()[0]
        cutoff = surface.GetInput("opacityThreshold")
        assert (cutoff.Get() if cutoff else None) == pytest.approx(mesh.material.alpha_cutoff)
        if mesh.material.texture is not None:
            st = np.array(UsdGeom.PrimvarsAPI(prim).GetPrimvar("st").Get())
            corners = np.array(UsdGeom.Mesh(prim).GetFaceVertexIndicesAttr().Get())
            np.testing.assert_allclose(st[corners], mesh.uvs[mesh.indices] * [1, -1] + [0, 1], atol=1e-6)


@EXHAUSTIVE
def test_text_says_the_same(tmp_path):
    """A .usda is the .usdc in words."""
    said = []
    for ending in ("usdc", "usda"):
        with ea.load_scene(scene_text(count=2)) as world:
            said.append(Sdf.Layer.FindOrOpen(str(ea.export(world, tmp_path / f"x.{ending}", frames=3))))
    a, b = (own.ExportToString() for own in said)
    assert a == b
    assert (tmp_path / "x.usda").read_bytes().startswith(b"#usda 1.0")


def test_a_bind_that_flattens_is_told(tmp_path):
    with ea.load_scene(scene_text()) as world:
        entity = next(entity for entity, _ in world.query(Character))
        character = world.get(entity, Character)
        bind = character.rig.skeleton.inverse_bind.copy()
        bind[3, 1] = 0
        skeleton = replace(character.rig.skeleton, inverse_bind=bind)
        world.attach(entity, replace(character, rig=replace(character.rig, skeleton=skeleton)))
        with pytest.raises(InputError, match="the inverse bind matrix of joint 'Spine2' scales by zero"):
            ea.export(world, tmp_path / "x.usdc", frames=2)
    assert list(tmp_path.iterdir()) == []


def test_pictures_that_have_no_place_are_told(tmp_path):
    """A file has the name of their folder: that stays, and nothing comes."""
    (tmp_path / "x_pictures").write_text("mine")
    with (
        ea.load_scene(scene_text()) as world,
        pytest.raises(
            InputError,
            match=r"x\.usdc: the pictures of this export need the folder x_pictures, but a file has this name",
        ),
    ):
        ea.export(world, tmp_path / "x.usdc", frames=2)
    assert [(own.name, own.read_text()) for own in tmp_path.iterdir()] == [("x_pictures", "mine")]


@EXHAUSTIVE
@pytest.mark.parametrize("model", real("Fox.glb", "Woman.gltf", "cesium_man.gltf", "dq.gltf"))
def test_characters_of_others(model, tmp_path):
    """Characters of any size: the error is a tenth of a millimetre for a height of 1.7 m."""
    text = scene_text((next(iter(ea.load_rig(model).clips)),), model=model)
    with ea.load_scene(text) as world, ea.load_scene(text) as same:
        stage = Usd.Stage.Open(str(ea.export(world, tmp_path / "x.usdc", frames=31)))
        for frame in range(31):
            if frame % 10 == 0:
                told = usd_vertices(stage, frame)
                for number, shapes in skinned_vertices(same).items():
                    wanted = np.concatenate(shapes)
                    near = NEAR * max(1.0, float(np.ptp(wanted, axis=0).max()) / 1.7)
                    np.testing.assert_allclose(np.concatenate(told[f"actor_{number}"]), wanted, atol=near, rtol=0)
            same.step(1 / 30)
