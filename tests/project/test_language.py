"""Texts avoid patterns that readers must read twice. Each count has a limit. If a count falls, lower its limit.

A pattern is a vague word, or a sentence that begins with "Of" or a relative clause. Sentences include docstrings,
comments, messages and documents. Questions do not count.
"""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from tests.project.sentences import ROOT, tracked

ENDINGS = (".py", ".pyi", ".md", ".toml")
BEGIN = r'(?:^|[.!?:]\s+|"""|#\s+|^\s*[-*|]\s+)'
NO_QUESTION = r"(?![^.!\n]*\?)"
SENTENCES = {words: rf"{BEGIN}{words}\b{NO_QUESTION}" for words in ("Of", "The same", "Who", "What")}
WORDS = (
    *("[Nn]obody", "[Ss]omebody", "[Ww]hoever", "Those who", "That which"),
    *("is told", "hangs on", "is held against", "brings", "as fine as"),
)
PATTERNS = {**SENTENCES, **{words: rf"\b{words}\b" for words in WORDS}, "who": r"\bwho\b"}

# Limits for the count of all patterns together. The word "who" has a separate limit.
LIMITS = {"documents": 3, "code": 8, "tests": 138}
LIMITS_OF_WHO = {"documents": 0, "code": 13, "tests": 70}


@cache
def texts() -> dict[str, str]:
    """Return the texts of all tracked files, by type. This file and deleted files are omitted."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in tracked():
        path = ROOT / name
        if path.suffix in ENDINGS and path.exists() and path != Path(__file__):
            kind = "documents" if path.suffix == ".md" else "tests" if name.startswith("tests/") else "code"
            found[kind].append(path.read_text("utf-8"))
    return {kind: "\n".join(own) for kind, own in found.items()}


def count(kind: str, patterns: list[str]) -> int:
    """Return the number of matches of the patterns in all texts of a type."""
    if not texts():
        pytest.skip("this is no git checkout")
    return sum(len(re.findall(pattern, texts()[kind], re.MULTILINE)) for pattern in patterns)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", LIMITS)
def test_sentences_have_subjects(kind):
    assert count(kind, [pattern for words, pattern in PATTERNS.items() if words != "who"]) <= LIMITS[kind]


@pytest.mark.parametrize("kind", LIMITS_OF_WHO)
def test_who_is_rare(kind):
    assert count(kind, [PATTERNS["who"]]) <= LIMITS_OF_WHO[kind]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It moves. Of these, two stay.", "Of"),
        ('"""What a crowd says."""', "What"),
        ("- Who stands stays.", "Who"),
        ("# The same for eight.", "The same"),
        ("A foot that hangs on a leg.", "hangs on"),
    ],
)
def test_patterns_are_found(text, words):
    assert re.search(PATTERNS[words], text, re.MULTILINE)


@pytest.mark.parametrize("text", ["What is a crowd?", "One of these.", "The sameness counts.", "- Who is it?"])
def test_questions_and_other_words_are_not(text):
    assert not any(re.search(pattern, text, re.MULTILINE) for words, pattern in PATTERNS.items() if words != "who")
