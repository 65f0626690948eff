"""The type of all arrays of the generator."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
