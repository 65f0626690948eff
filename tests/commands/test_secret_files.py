"""A file of another type in place of any input: messages describe the file, and quote nothing of it."""

import json
from pathlib import Path

import pytest

from ecs_anim.commands.outcome import exit_code

SECRET = "swordfish"
TEXTS = {
    "passwords": f"{SECRET}:x:0:0:{SECRET}:/{SECRET}:/bin/{SECRET}\n" * 3,
    "key": f"-----BEGIN PRIVATE KEY-----\n{SECRET}{SECRET}\n-----END PRIVATE KEY-----\n",
    "variables": f'TOKEN="{SECRET}"\n{SECRET} = 12\n',
    "settings": f'[{SECRET}]\n{SECRET} = "{SECRET}"\n',
    "list": json.dumps([SECRET, {SECRET: SECRET}]),
    "login": f"machine example.org\nlogin {SECRET}\npassword {SECRET}\n",
    "words": f"{SECRET} {SECRET}\n{SECRET} 1 2 {SECRET}\n",
    "markup": f"<?xml version='1.0'?><{SECRET} {SECRET}='{SECRET}'><a>{SECRET}</a></{SECRET}>",
}
SCENE = '[rigs.p]\n{rig}\n[[crowds]]\nrig = "p"\nclips = [{{ name = "walk" }}]\n{crowd}\n{rest}\n'
MANNEQUIN = 'model = "mannequin"'
KEYS = {
    "model": {"rig": "model = {path}"},
    "clips_from": {"rig": MANNEQUIN + "\nclips_from = [{path}]"},
    "texture": {"rig": MANNEQUIN + "\ntexture = {path}"},
    "recording": {"crowd": "trajectories = {{ file = {path} }}"},
    "plan": {"rest": "[walls]\nfile = {path}"},
    "picture": {"rest": "[walls]\npicture = {{ file = {path}, metres_per_pixel = 1.0 }}"},
}
COMMANDS = {
    "check": ["check", "FILE"],
    "run": ["run", "FILE", "--frames", "1", "--out", "OUT.png"],
    "snapshot": ["run", "single", "--from-snapshot", "FILE", "--frames", "1", "--out", "OUT.png"],
    "inspect": ["inspect", "FILE"],
    "walk": ["walk", "FILE", "--out", "OUT.png"],
    "farm": ["farm", "FILE", "--out", "OUT"],
    "dataset": ["dataset", "FILE", "--out", "OUT"],
    "bake": ["bake", "FILE", "--out", "OUT.bake"],
    "retarget": ["retarget", "mannequin", "FILE", "--out", "OUT.glb"],
}


def assert_secret(arguments, capsys):
    code = exit_code(arguments)
    said = "".join(capsys.readouterr())
    assert code == 2, said
    assert SECRET not in said.lower()


@pytest.fixture(name="secret", params=TEXTS)
def secret_fixture(request, tmp_path):
    path = tmp_path / "file"
    path.write_text(TEXTS[request.param])
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_quotes_nothing_of_another_file(secret, command, capsys):
    named = {"FILE": str(secret)}
    arguments = [named.get(word, word.replace("OUT", str(secret.parent / "out"))) for word in COMMANDS[command]]
    assert_secret(arguments, capsys)
    assert [own.name for own in Path(secret.parent).iterdir()] == ["file"]


@pytest.mark.parametrize("key", KEYS)
def test_a_scene_quotes_nothing_of_a_file_that_it_names(secret, key, capsys):
    said = {name: text.format(path=json.dumps(str(secret))) for name, text in KEYS[key].items()}
    scene = secret.parent / "scene.toml"
    scene.write_text(SCENE.format(**{"rig": MANNEQUIN, "crowd": "", "rest": ""} | said))
    assert_secret(["check", str(scene)], capsys)
