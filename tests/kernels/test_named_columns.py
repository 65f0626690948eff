"""Kernels read the columns of records by the names of their declarations, and never by numbers."""

import ast

import pytest

from tests.project.layout import ROOT

KERNELS = ROOT / "ecs_anim/kernels"


def name_of(node):
    """The last part of a name: `borrow` for `borrow` and for `simd.borrow`."""
    return getattr(node, "id", getattr(node, "attr", ""))


def tree_of(name):
    return ast.parse((KERNELS / f"{name}.py").read_text("utf-8"))


# The class of each type of columns, such as {"QUEUE": "FadeQueue"}.
DECLARED = {
    node.targets[0].id: name_of(node.value.args[0])
    for node in tree_of("types").body
    if isinstance(node, ast.Assign) and getattr(getattr(node.value, "func", None), "id", "") == "columns"
}


def kernels_in(tree):
    """Kernels with their arguments and the names of these arguments' types."""
    for node in ast.walk(tree):
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "kernel":
                kinds = [name_of(kind) for kind in decorator.args[0].args]
                yield node, dict(zip((argument.arg for argument in node.args.args), kinds, strict=True))


def said(node):
    """The name that an expression takes, whether borrowed or not."""
    if isinstance(node, ast.Call) and name_of(node.func) == "borrow":
        node = node.args[0]
    return getattr(node, "id", "")


def faults(tree):
    """Places where columns are taken by number, or by the names of another record."""
    for function, kinds in kernels_in(tree):
        classes = {name: DECLARED[kind] for name, kind in kinds.items() if kind in DECLARED}
        for node in ast.walk(function):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and said(node.value) in classes:
                yield node.lineno
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and said(node.value) in classes:
                yield node.lineno
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Starred):
                name = said(node.args[0].value)
                if name in classes and name_of(node.func) != classes[name]:
                    yield node.lineno


@pytest.mark.parametrize("name", sorted(path.stem for path in KERNELS.glob("*.py")))
def test_columns_have_names(name):
    assert list(faults(tree_of(name))) == []


@pytest.mark.parametrize(
    "line",
    [
        "slot_count, _, _, _, _, _ = queue",
        "slot_count, _, _, _, _, _ = borrow(queue)",
        "slot_count, _, _, _, _, _ = simd.borrow(queue)",
        "first = queue[2]",
        "first = Placement(*borrow(queue))",
        "first = Placement(*simd.borrow(queue))",
    ],
)
def test_each_way_around_names_is_found(line):
    assert list(faults(ast.parse(f"@kernel(void(QUEUE))\ndef own(queue):\n    {line}\n"))) == [3]
