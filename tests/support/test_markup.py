"""XML of strangers: no document type, no entity and no other file is read, in any encoding."""

import os
import tracemalloc
from xml.etree import ElementTree

import pytest

from ecs_anim.support import markup
from ecs_anim.support.errors import InputError
from ecs_anim.support.markup import parse_xml
from ecs_anim.trajectories import read_walls
from ecs_anim.walls.geometry_xml import read_geometry_xml

PLAIN = '<geometry unit="m"><!-- a <!b --><polygon><vertex px="0" py="\u0661"/></polygon></geometry>'
TYPES = (
    '<!DOCTYPE g [<!ENTITY a "7">]>',
    '<!DOCTYPE g [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
    '<!DOCTYPE g [<!ENTITY % p SYSTEM "{pipe}"> %p;]>',
    '<!DOCTYPE g SYSTEM "{pipe}">',
    '<!DOCTYPE g PUBLIC "a" "{pipe}">',
    "<!DOCTYPE g>",
    "<!DOCTYPE\ng [<!ATTLIST g a CDATA 'b'>]>",
    '<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {name} "{10 * f"&{before};"}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>",
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("types", TYPES)
def test_document_types_are_refused_in_any_encoding(tmp_path, types, encoding):
    os.mkfifo(tmp_path / "pipe")
    declared = encoding.removesuffix("-sig").replace("-le", "").replace("-be", "")
    text = f'<?xml version="1.0" encoding="{declared}"?>{types.replace("{pipe}", str(tmp_path / "pipe"))}<g>&a;</g>'
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    (tmp_path / "x.xml").write_bytes((mark + text).encode(encoding))
    with pytest.raises(ValueError, match="the XML must not declare a document type or entities"):
        parse_xml((tmp_path / "x.xml").read_bytes())
    with pytest.raises(InputError, match=r"x\.xml: the XML must not declare a document type or entities"):
        read_walls(tmp_path / "x.xml")


@pytest.mark.parametrize("data", [PLAIN, *(f'<?xml version="1.0"?>{PLAIN}'.encode(own) for own in ENCODINGS[:3])])
def test_plain_documents_are_read_as_the_library_reads_them(data):
    assert ElementTree.tostring(parse_xml(data)) == ElementTree.tostring(ElementTree.fromstring(data))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (101 * "<a>" + 101 * "</a>", "the XML elements must be nested at most 100 levels deep"),
        (200_000 * "<a>", "the XML elements must be nested at most 100 levels deep"),
        ("<a>" + 99 * "<b/>" + "</a>", None),
        ("<a>" + 100 * "<b/>" + "</a>", "the XML must have at most 100 elements. Split"),
        ("", "the file must be XML"),
        ("<a>", "the file must be XML"),
        (b"<a>\xff</a>", "the file must be XML"),
        ("<a>&b;</a>", r"the file must be XML \(undefined entity"),
        (b'<?xml version="1.0" encoding="utf-7"?><a/>', "the file must be XML"),
        (b'<?xml version="1.0" encoding="rot13"?><a/>', "the file must be XML"),
        (b'<?xml version="1.0" encoding="shift_jis"?><a/>', "the file must be XML"),
        (b"<a>\0</a>", "the file must be XML"),
        ("<a>\ud800</a>", "the file must be XML"),
    ],
)
def test_documents_that_cannot_be_are_told(monkeypatch, data, text):
    monkeypatch.setattr(markup, "MOST_ELEMENTS", 100 if "b/" in str(data) else 1_000_000)
    if text is None:
        assert len(parse_xml(data)) == 99
        return
    with pytest.raises(ValueError, match=text):
        parse_xml(data)


def test_memory_does_not_grow_with_what_is_refused():
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="nested"):
            parse_xml(4_000_000 * b"<a>")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_plans_are_read_by_the_same_parser():
    with pytest.raises(ValueError, match="the XML must not declare a document type or entities"):
        read_geometry_xml('<!DOCTYPE g [<!ENTITY a "7">]><geometry/>')
