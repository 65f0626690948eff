"""The same bits on every machine: digests, what kernels are compiled to for other CPUs, and what Python may call."""

import ast
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from llvmlite import binding

import ecs_anim as ea
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from tests.digests import SCENES, scene_digests
from tests.helpers import some
from tests.project.machines import MACHINES, OLD, Machine, few
from tests.project.test_house import FILES, ROOT, module_name, parsed

DIGESTS = json.loads((ROOT / "tests/digests.json").read_text())
ESTIMATES = re.compile(r"v?(rcp|rsqrt)")  # of hardware, by their makers' own tables
# What compiled kernels may call besides Python's and numba's own: all of it is exact.
EXACT = {"fmod", "fmodf", "memcpy", "memset", "memmove", "numba_ldexp", "ldexp", "floor", "ceil", "rint", "trunc"}
PYTHONS = ("numba_", "NRT_", "Py", "_Py")
# What differs by machine; `maths.elementary` and `maths.small_matrices` are to be called in its place.
NUMPYS = {"sin", "cos", "tan", "exp", "log", "power", "arctan2", "arccos", "arcsin", "arctan", "hypot", "hanning"}
NUMPYS |= {"einsum", "dot", "vdot", "matmul", "tensordot", "cbrt", "sinh", "cosh", "tanh", "exp2", "log2", "log10"}
MATHS = {"sin", "cos", "tan", "exp", "log", "pow", "atan2", "atan", "acos", "asin", "hypot", "dist"}
PICTURES = ("ecs_anim.gl.", "ecs_anim.levels", "ecs_anim.mannequin", "ecs_anim.profiling", "ecs_anim.commands")
# What no simulation is made of, or what only proves what kernels do.
ELSEWHERE = {
    "ecs_anim.view.cull_view": "what a picture leaves out",
    "ecs_anim.view.style": "light of pictures",
    "ecs_anim.view.sun_fit": "shadows of pictures",
    "ecs_anim.assets.dual_palette": "the readable form of a kernel",
    "ecs_anim.assets.morphs": "the readable form of a shader",
    "ecs_anim.view.encoders": "whole numbers from colours",
    "ecs_anim.gltf.meshes": "texture coordinates",
    "ecs_anim.gltf.morphs": "what faces are moved by",
}
ROUNDING = 2.0**-24  # of a float32, relative
MIXED = 40  # roundings in a row: eight clips of two products and sums, a unit's root and quotient
JOINT = 12  # of each joint in a chain: a rotation's column, scaled, and a row of a product
CORRECTED = {"hills", "look_at", "ik_chains"}


@pytest.mark.parametrize("name", SCENES)
def test_scenes_come_to_the_bits_that_are_in_the_repository(name):
    assert scene_digests(name) == DIGESTS[name]


@pytest.mark.exhaustive
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.cpu)
def test_other_cpus_come_to_the_same_bits(machine, tmp_path):
    if not binding.get_host_cpu_features().get(machine.needs):
        pytest.skip(f"this CPU has no {machine.needs}, and cannot stand in for {machine.cpu}")
    report = _report_of(machine, tmp_path)
    assert report["kernels"] > 40
    assert [name for name in report["instructions"] if ESTIMATES.match(name)] == []
    assert [name for name in report["functions"] if name not in EXACT and not name.startswith(PYTHONS)] == []
    assert "vfmadd213ps" in report["instructions"]  # the words were found, and what may be fused is
    assert report["digests"] == DIGESTS


@pytest.mark.parametrize("scene", some(["controllers", "twist", "hills", "look_at"], "twist"))
def test_uncompiled_kernels_are_within_what_rounding_explains(scene, tmp_path):
    _compare(scene, 3, os.environ | {"NUMBA_DISABLE_JIT": "1"}, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("scene", SCENES)
def test_a_cpu_without_fused_sums_is_within_what_rounding_explains(scene, tmp_path):
    _compare(scene, 60, OLD.environment(str(tmp_path)), tmp_path)


def _compare(scene: str, frames: int, environment: dict[str, str], folder: Path) -> None:
    """Phases are the same bits; places and poses are as far apart as roundings add up to."""
    run = [sys.executable, "-m", "tests.project.machines", scene, str(frames), str(folder / "there.npz")]
    subprocess.run(run, env=environment, cwd=ROOT, check=True)
    here = few(scene, frames)
    with np.load(folder / "there.npz") as there, ea.load_scene(scene, actors=1) as world:
        for number, (_, (character, _)) in enumerate(world.query(Character, Palette)):
            np.testing.assert_array_equal(there[f"{number} phases"], here[f"{number} phases"])
            places = here[f"{number} places"]
            apart = np.abs(there[f"{number} places"] - places)  # a place is added to in every frame, in a few steps
            assert apart.max() <= frames * JOINT * ROUNDING * max(1.0, np.abs(places).max())
            apart = np.abs(there[f"{number} palettes"] - here[f"{number} palettes"])
            assert apart.max() <= _bound(character.rig.skeleton, scene in CORRECTED)


def _bound(skeleton: Skeleton, corrected: bool) -> float:
    """How far two palettes may be apart that differ in how sums are rounded [rig units].

    A number of a palette comes of so many roundings in a row, each by at most `ROUNDING` of the largest number that
    is summed up there: the length of the longest chain, and the inverse bind matrix once more. A corrected limb is bent
    by the law of cosines, whose angle is as uncertain as the root of what it is made of: a straight leg's sine.
    """
    depth, reach = np.zeros(skeleton.joint_count, int), np.zeros(skeleton.joint_count)
    for joint, parent in enumerate(skeleton.parents):
        own = float(np.linalg.norm(skeleton.rest_pose.translation[joint]))
        depth[joint] = 1 + (depth[parent] if parent >= 0 else 0)
        reach[joint] = own + (reach[parent] if parent >= 0 else 0)
    size = max(1.0, 2 * float(reach.max()), float(np.abs(skeleton.inverse_bind).max()))
    share = 2 * (MIXED + JOINT * int(depth.max())) * ROUNDING
    return size * (math.sqrt(share) if corrected else share)


def _report_of(machine: Machine, cache: Path) -> dict:
    run = [sys.executable, "-m", "tests.project.machines"]
    return json.loads(subprocess.run(run, env=machine.environment(str(cache)), cwd=ROOT, check=True, stdout=-1).stdout)


def test_what_simulations_are_made_of_calls_nothing_that_differs_by_machine():
    made_of = [path for path in FILES if not module_name(path).startswith(PICTURES)]
    called = {
        module_name(path): [ast.unparse(node) for node in ast.walk(parsed(path)) if _differs(node)] for path in made_of
    }
    assert {module: calls for module, calls in called.items() if calls and module not in ELSEWHERE} == {}
    assert {module for module in ELSEWHERE if not called[module]} == set()  # whom nothing needs to excuse


def _differs(node: ast.AST) -> bool:
    """Whether a node leaves its rounding to the C library, to numpy's loops for each CPU, or to BLAS and LAPACK."""
    match node:
        case ast.BinOp(op=ast.MatMult()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr=name)):
            return name in NUMPYS
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name)):
            return name in MATHS
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="np"), attr="linalg"), attr=name)):
            return name != "LinAlgError" and not (name == "norm" and any(word.arg == "axis" for word in node.keywords))
    return False
