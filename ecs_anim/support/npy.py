"""Reading of NumPy arrays (.npy). The reader checks the sizes in a file before it creates an array."""

import io
import math
import tokenize
import warnings
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support import archives

DAMAGE = (*archives.DAMAGE, TypeError, AttributeError, MemoryError, SyntaxError, ArithmeticError, tokenize.TokenError)
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return the shape of an array, whether its order is column-major, and its type. For a damaged file, the function
    can raise any exception in DAMAGE.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python would print a warning if the text of a header is not a dictionary
        return HEADERS[np.lib.format.read_magic(file)](file)


def array_of(data: bytes) -> NDArray[Any]:
    """Return the array in `data`, the bytes of an .npy file. The array is a view of `data`.

    Raises ValueError for damaged data, and for an array of Python objects, which can run harmful code.
    """
    try:
        file = io.BytesIO(data)
        shape, is_fortran, dtype = read_header(file)
        if not dtype.hasobject and min(shape, default=0) >= 0:
            if file.tell() + math.prod(shape) * dtype.itemsize != len(data):
                raise ValueError("the length differs from the length in the header")
            return np.frombuffer(data, dtype, offset=file.tell()).reshape(shape, order="F" if is_fortran else "C")
    except DAMAGE:
        raise ValueError("must be a complete array of NumPy. Save it again") from None
    raise ValueError("must contain numbers, not pickled Python objects, which can run harmful code. Save it as numbers")
