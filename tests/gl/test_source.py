import pytest

from ecs_anim.gl.device import source
from ecs_anim.gl.device.program import Program, ShaderError
from tests.helpers.gl import context_fixture  # noqa: F401

FILES = {
    "main.vert": '#include "a.glsl"\n#include "b.glsl"\nvoid main() {\n    gl_Position = vec4(a() + b());\n}\n',
    "a.glsl": '#include "b.glsl"\nfloat a() { return b(); }\n',
    "b.glsl": "float b() { return 1.0; }\n",
    "broken.vert": '#include "b.glsl"\n\nvoid main() {\n    nonsense;\n}\n',
    "outer.vert": '#include "inner.glsl"\nvoid main() { gl_Position = vec4(0.0); }\n',
    "inner.glsl": "\n\nfloat broken() { return missing; }\n",
    "plain.frag": "out vec4 color;\nvoid main() { color = vec4(1.0); }\n",
}


@pytest.fixture(autouse=True)
def shader_files(monkeypatch):
    monkeypatch.setattr(source, "read_shader", FILES.__getitem__)


def test_includes_come_once_and_first():
    text = source.load_source("main.vert").text
    assert text.count("float b()") == 1
    assert text.index("float b()") < text.index("float a()") < text.index("void main()")


def test_version_comes_first_then_defines():
    lines = source.load_source("b.glsl", ("INFLUENCES 2", "FLAT_NORMALS")).text.splitlines()
    assert lines[:3] == ["#version 330 core", "#define FLAT_NORMALS", "#define INFLUENCES 2"]


@pytest.mark.parametrize("log", ["0:4(5): error: x", "0(4) : error C1: x", "ERROR: 0:4: x"])
def test_logs_of_all_vendors_name_file_and_line(log):
    assert "b.glsl:4" in source.load_source("b.glsl").explain(log)


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize(("name", "place"), [("broken.vert", "broken.vert:4"), ("outer.vert", "inner.glsl:3")])
def test_compile_errors_name_file_and_line(name, place):
    with pytest.raises(ShaderError, match=place):
        Program(name, "plain.frag")


@pytest.mark.usefixtures("context")
def test_a_good_program_links_and_is_freed():
    with Program("main.vert", "plain.frag") as program:
        program.use()
        assert program.location("absent") == -1
    assert program.freed
