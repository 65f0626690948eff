"""The array type that the generator of the mannequin uses."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
