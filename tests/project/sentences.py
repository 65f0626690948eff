"""Print random sentences of documents, docstrings and messages: `python -m tests.project.sentences COUNT SEED`.

A fresh reader judges the sentences. The seed is the hash of a commit, so that the sentences cannot be chosen by hand.
The reader also sees what readers of the project see: the heading of the section or the signature of the function, the
first paragraph of the docstring, and the preceding sentences of the paragraph.
"""

import ast
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FEWEST_WORDS = 5
ITEM = re.compile(r"\n\s*(?:[-*]|\d+\.)\s+")  # the start of a list item
END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`\"*\[0-9])")  # the gap between two sentences
MESSAGES = {"InputError", "InputWarning", "FormatError", "ValueError", "TypeError", "IndexError", "UnknownRow", "fault"}

Sentence = tuple[str, str, str]  # location of a sentence, the text before the sentence, and the sentence


def sentences_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the preceding sentences and the sentence, for all sentences of a text. Each list item is separate."""
    for item in ITEM.split("\n" + text):
        found = END.split(re.sub(r"\s+", " ", item).strip())
        yield from ((" ".join(found[:at]), own) for at, own in enumerate(found) if len(own.split()) >= FEWEST_WORDS)


def of_document(path: str, text: str) -> Iterator[Sentence]:
    """Yield the sentences of a Markdown page without code, comments, headings and tables."""
    prose, place = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.DOTALL), path
    for block in re.split(r"\n\s*\n", prose):
        headings = [line.strip("# ") for line in block.split("\n") if line.startswith("#")]
        place = f"{path}, {headings[-1]}" if headings else place
        lines = [line for line in block.split("\n") if not line.startswith("#")]
        if not any(line.lstrip().startswith("|") for line in lines):
            yield from ((place, *own) for own in sentences_in("\n".join(lines)))


def of_docstrings(path: str, tree: ast.Module) -> Iterator[Sentence]:
    """Yield the sentences of all docstrings of a module. Indented paragraphs are code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            place = f"{path}: {_declared(node)}"
            summary, *rest = re.split(r"\n *\n", ast.get_docstring(node) or "")
            yield from ((place, *own) for own in sentences_in(summary))
            for paragraph in (own for own in rest if not own.startswith("    ")):
                yield from ((place, f"{summary} {before}", own) for before, own in sentences_in(paragraph))


def _declared(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    """Return the signature of a function, the name of a class, or the word module."""
    if isinstance(node, ast.FunctionDef):
        result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"{node.name}({ast.unparse(node.args)}){result}"
    return f"class {node.name}" if isinstance(node, ast.ClassDef) else "module"


def of_messages(path: str, tree: ast.Module) -> Iterator[Sentence]:
    """Yield the texts of errors and warnings, with <...> in place of values."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in MESSAGES:
            for argument in node.args:
                text = _text_of(argument)
                if len(text.split()) >= FEWEST_WORDS:
                    yield path, "", f"<key>: {text}" if getattr(node.func, "attr", "") == "fault" else text


def _text_of(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return f"<{ast.unparse(node.value)}>"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def tracked() -> list[str]:
    """Return the paths of all files that git tracks. Outside of a git checkout, return no paths."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    return listed.stdout.split()


def chosen(count: int, seed: str) -> list[Sentence]:
    """Return random sentences: equal numbers from documents, docstrings and messages."""
    files = tracked()
    pages = [path for path in files if path.endswith(".md")]
    trees = {
        path: ast.parse((ROOT / path).read_text("utf-8"))
        for path in files
        if path.endswith(".py") and not path.startswith("tests/")
    }
    kinds = (
        [own for path in pages for own in of_document(path, (ROOT / path).read_text("utf-8"))],
        [own for path, tree in trees.items() for own in of_docstrings(path, tree)],
        [own for path, tree in trees.items() for own in of_messages(path, tree)],
    )
    draw = random.Random(seed)
    return [own for kind in kinds for own in draw.sample(kind, count // len(kinds))]


if __name__ == "__main__":
    for number, (place, before, text) in enumerate(chosen(int(sys.argv[1]), sys.argv[2]), 1):
        print(f"{number}. ({place}) {f'[{before}] ' if before else ''}{text}")
