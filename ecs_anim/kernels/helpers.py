"""Helpers: functions that kernels call.

Python cannot call a helper. Numba's entry points for Python and C take a quarter of the time to compile.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from numba import errors, njit, types
from numba.extending import models, register_model, typeof_impl


class Helper:
    """A function that kernels call. It is compiled for each combination of types that they pass."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        update_wrapper(self, function)
        self._dispatcher = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
        self.type = _HelperType(self._dispatcher)

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError(f"{self.__name__} is a helper: call it from a kernel, or compile a function that calls it")


class _HelperType(types.Dispatcher):
    """The type of a helper in a kernel.

    Numba would compile a helper apart for each literal number that is passed to it. One compiled function serves all
    numbers of a type, unless the type of the result depends on the number.
    """

    def get_call_type(self, context, args, kws):
        """Return the signature for arguments of these types."""
        general = tuple(types.unliteral(kind) for kind in args)
        try:
            return super().get_call_type(context, general, kws)
        except errors.TypingError:
            if general == tuple(args):
                raise
            return super().get_call_type(context, args, kws)


register_model(_HelperType)(models.OpaqueModel)


@typeof_impl.register(Helper)
def _type_of(helper, _):
    return helper.type
