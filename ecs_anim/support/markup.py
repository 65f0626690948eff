"""Safe parsing of untrusted XML. The parser rejects document types, entities and large documents."""

from xml.etree import ElementTree

MOST_ELEMENTS = 1_000_000  # each takes about 100 bytes of memory
MOST_DEPTH = 100
PART = 1 << 16  # number of bytes or characters that the parser gets together


class _RefusedError(ValueError):
    """An error for a document that the parser rejects before the end of the document."""


class _Tree(ElementTree.TreeBuilder):
    """A builder of element trees that rejects documents with too many elements or with too deeply nested elements.

    The parser calls the method `doctype` before the parser reads entities. The method can therefore reject a document
    before its entities expand.
    """

    def __init__(self) -> None:
        super().__init__()
        self._count = self._depth = 0

    def doctype(self, *_: object) -> None:
        raise _RefusedError("the XML must not declare a document type or entities. Remove the declaration")

    def start(self, tag: str, attributes: dict[str, str], /) -> ElementTree.Element:
        self._count, self._depth = self._count + 1, self._depth + 1
        if self._count > MOST_ELEMENTS:
            raise _RefusedError(f"the XML must have at most {MOST_ELEMENTS:,} elements. Split the file")
        if self._depth > MOST_DEPTH:
            raise _RefusedError(f"the XML elements must be nested at most {MOST_DEPTH} levels deep. Remove some levels")
        return super().start(tag, attributes)

    def end(self, tag: str, /) -> ElementTree.Element:
        self._depth -= 1
        return super().end(tag)


def parse_xml(data: bytes | str) -> ElementTree.Element:
    """Return the root element of a document. Raises ValueError for a document that is not XML or is not safe."""
    parser = ElementTree.XMLParser(target=_Tree())
    try:
        for start in range(0, len(data), PART):  # after each part, the parser raises errors that the tree has found
            parser.feed(data[start : start + PART])
        root: ElementTree.Element = parser.close()
    except _RefusedError:
        raise
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise ValueError(f"the file must be XML ({error}). Correct the file.") from None
    return root
