"""Memory that is asked for before it is needed, as what is read from anywhere takes long to come."""

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from ecs_anim.kernels.lanes import data_of

BYTE, NUMBER = ir.IntType(8), ir.IntType(32)
TO_READ, KEPT, DATA = NUMBER(0), NUMBER(3), NUMBER(1)  # of LLVM's prefetch: for what, how long, into which cache


@intrinsic
def prefetch(typing, array, at):
    """Ask for what is at a flat index of an array; nobody waits for it, and nothing changes but how long things take.

    array: as `lanes.eight` takes it. There may be nothing at the index.
    """

    def generate(context, builder, sig, arguments):
        data = data_of(context, builder, sig.args[0], arguments[0])
        address = builder.bitcast(builder.gep(data, [arguments[1]]), BYTE.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [address.type, NUMBER, NUMBER, NUMBER])
        own = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        builder.call(own, [address, TO_READ, KEPT, DATA])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


if config.DISABLE_JIT:
    prefetch = lambda array, at: None  # noqa: E731
