"""Array type of the generator."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
