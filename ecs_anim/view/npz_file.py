"""Files in NumPy's format .npz, with equal bytes on all machines."""

from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray


def npz_bytes(**arrays: NDArray[Any]) -> bytes:
    """Return arrays in the format of `np.savez_compressed`, but with compression level 4.

    The data are about as large as with `np.savez_compressed`. The compression takes 2/3 of the time of
    `np.savez_compressed`.
    """
    whole = BytesIO()
    with ZipFile(whole, "w") as packed:
        for name, array in arrays.items():
            own = BytesIO()
            np.save(own, array, allow_pickle=False)
            packed.writestr(ZipInfo(f"{name}.npy"), own.getbuffer(), ZIP_DEFLATED, compresslevel=4)
    return whole.getvalue()
