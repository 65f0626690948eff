"""Equal bits on every machine: digests of scenes, code of kernels for other CPUs, and functions that Python calls."""

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
from tests.project.machines import MACHINES, OLD, Machine, few
from tests.project.test_house import FILES, ROOT, module_name, parsed

DIGESTS = json.loads((ROOT / "tests/digests.json").read_text())
ESTIMATES = re.compile(r"v?(rcp|rsqrt)")  # approximate instructions, whose results differ between CPUs
# External functions that compiled kernels can call. Their results are exact.
EXACT = {"fmod", "fmodf", "memcpy", "memset", "memmove", "numba_ldexp", "ldexp", "floor", "ceil", "rint", "trunc"}
PYTHONS = ("numba_", "NRT_", "Py", "_Py")
# Functions that differ between machines. Use `maths.elementary` and `maths.small_matrices` instead.
NUMPYS = {"sin", "cos", "tan", "exp", "log", "power", "arctan2", "arccos", "arcsin", "arctan", "hypot", "hanning"}
NUMPYS |= {"einsum", "dot", "vdot", "matmul", "tensordot", "cbrt", "sinh", "cosh", "tanh", "exp2", "log2", "log10"}
MATHS = {"sin", "cos", "tan", "exp", "log", "pow", "atan2", "atan", "acos", "asin", "hypot", "dist"}
PICTURES = ("ecs_anim.gl.", "ecs_anim.levels", "ecs_anim.mannequin", "ecs_anim.profiling", "ecs_anim.commands")
PICTURES += ("ecs_anim.sharing", "ecs_anim.verifying", "ecs_anim.anny")
# Modules that no simulation uses, or that are only references for kernels.
ELSEWHERE = {
    "ecs_anim.view.cull_view": "what a picture leaves out",
    "ecs_anim.view.style": "light of pictures",
    "ecs_anim.view.sun_fit": "shadows of pictures",
    "ecs_anim.assets.dual_palette": "the readable form of a kernel",
    "ecs_anim.assets.morphs": "the readable form of a shader",
    "ecs_anim.view.encoders": "whole numbers from colours",
    "ecs_anim.mujoco": "bodies of another simulator",
    "ecs_anim.gltf.meshes": "texture coordinates",
    "ecs_anim.gltf.morphs": "what faces are moved by",
}
ROUNDING = 2.0**-24  # relative rounding error of float32
MIXED = 40  # successive roundings of a mixed pose: eight clips with two products and sums, then a normalisation
JOINT = 12  # successive roundings per joint of a chain: a scaled column of a rotation, and a row of a matrix product
CORRECTED = {"hills", "look_at", "ik_chains"}


@pytest.mark.parametrize("name", SCENES)
def test_scenes_come_to_the_bits_that_are_in_the_repository(name):
    assert scene_digests(name) == DIGESTS[name]


@pytest.mark.exhaustive
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.cpu)
def test_other_cpus_use_exact_instructions_and_functions_only_and_come_to_the_same_bits(machine, tmp_path):
    """The first program compiles all kernels, and the second program finds them in the cache."""
    report = _json_of("tests.project.machines", machine, tmp_path)
    assert report["kernels"] > 40
    assert [name for name in report["instructions"] if ESTIMATES.match(name)] == []
    assert [name for name in report["functions"] if name not in EXACT and not name.startswith(PYTHONS)] == []
    assert "vfmadd213ps" in report["instructions"]  # the search finds instructions, and sums are fused
    assert _json_of("tests.digests", machine, tmp_path) == DIGESTS


@pytest.mark.exhaustive
def test_uncompiled_kernels_are_within_what_rounding_explains(tmp_path):
    scenes = ("controllers", "twist", "hills", "look_at")
    _compare_all(scenes, 3, os.environ | {"NUMBA_DISABLE_JIT": "1"}, tmp_path)


@pytest.mark.exhaustive
def test_a_cpu_without_fused_sums_is_within_what_rounding_explains(tmp_path):
    _compare_all(SCENES, 60, OLD.environment(str(tmp_path / "cache")), tmp_path)


def _compare_all(scenes: tuple[str, ...], frames: int, environment: dict[str, str], folder: Path) -> None:
    """Compare scenes with another machine. One program runs all scenes, so that it compiles each kernel once."""
    run = [sys.executable, "-m", "tests.project.machines", str(frames), str(folder), *scenes]
    subprocess.run(run, env=environment, cwd=ROOT, check=True)
    for scene in scenes:
        _compare(scene, frames, folder / f"{scene}.npz")


def _compare(scene: str, frames: int, path: Path) -> None:
    """Compare a scene with another machine. Phases are equal. Positions and poses differ at most by rounding errors."""
    here = few(scene, frames)
    with np.load(path) as there, ea.load_scene(scene, actors=1) as world:
        for number, (_, (character, _)) in enumerate(world.query(Character, Palette)):
            np.testing.assert_array_equal(there[f"{number} phases"], here[f"{number} phases"])
            places = here[f"{number} places"]
            apart = np.abs(there[f"{number} places"] - places)  # each frame adds to the position with a few roundings
            assert apart.max() <= frames * JOINT * ROUNDING * max(1.0, np.abs(places).max())
            apart = np.abs(there[f"{number} palettes"] - here[f"{number} palettes"])
            assert apart.max() <= _bound(character.rig.skeleton, scene in CORRECTED)


def _bound(skeleton: Skeleton, corrected: bool) -> float:
    """Return the largest difference of two palettes [rig units] that different rounding explains.

    A number of a palette has this many successive roundings. Each rounding error is at most `ROUNDING` times the
    largest summed number, which is the length of the longest chain or the inverse bind matrix. A corrected limb is bent
    by the law of cosines. Near a straight leg, its error is the square root of the rounding error.
    """
    depth, reach = np.zeros(skeleton.joint_count, int), np.zeros(skeleton.joint_count)
    for joint, parent in enumerate(skeleton.parents):
        own = float(np.linalg.norm(skeleton.rest_pose.translation[joint]))
        depth[joint] = 1 + (depth[parent] if parent >= 0 else 0)
        reach[joint] = own + (reach[parent] if parent >= 0 else 0)
    size = max(1.0, 2 * float(reach.max()), float(np.abs(skeleton.inverse_bind).max()))
    share = 2 * (MIXED + JOINT * int(depth.max())) * ROUNDING
    return size * (math.sqrt(share) if corrected else share)


def _json_of(module: str, machine: Machine, cache: Path) -> dict:
    """Return what a module prints on another machine."""
    if not binding.get_host_cpu_features().get(machine.needs):
        pytest.skip(f"this CPU has no {machine.needs}, and cannot simulate {machine.cpu}")
    run = [sys.executable, "-m", module]
    return json.loads(subprocess.run(run, env=machine.environment(str(cache)), cwd=ROOT, check=True, stdout=-1).stdout)


@pytest.mark.exhaustive
def test_what_simulations_are_made_of_calls_nothing_that_differs_by_machine():
    made_of = [path for path in FILES if not module_name(path).startswith(PICTURES)]
    called = {
        module_name(path): [ast.unparse(node) for node in ast.walk(parsed(path)) if _differs(node)] for path in made_of
    }
    assert {module: calls for module, calls in called.items() if calls and module not in ELSEWHERE} == {}
    assert {module for module in ELSEWHERE if not called[module]} == set()  # no module is listed without need


def _differs(node: ast.AST) -> bool:
    """Return whether the result of a node depends on the C library, on numpy's loops, or on BLAS and LAPACK."""
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
