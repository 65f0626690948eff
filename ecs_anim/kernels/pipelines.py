"""How numba compiles kernels, and what only they call: with less work than it takes for what Python might call.

It goes into numba's insides, which change: `kernels` says for which versions it serves.
"""

from typing import Any, ClassVar

from llvmlite.binding import Linkage, ModuleRef
from llvmlite.ir import Module
from numba import _dynfunc, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import CompilerPass, PassManager, register_pass
from numba.core.typed_passes import InlineOverloads, IRLegalization, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import (
    InlineClosureLikes,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    WithLifting,
)

from ecs_anim.kernels.lowering import ThriftyLower

# Passes for what no helper has: array expressions, closures, what overloads are put in place of, loops over literals.
NOT_OF_HELPERS = (
    InlineClosureLikes,
    InlineOverloads,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    NopythonRewrites,
    WithLifting,
)


class _KernelLibrary(JITCodeLibrary):
    """LLVM's modules of a kernel."""

    def add_ir_module(self, ir_module: Module) -> None:
        """As numba does it; then instructions, which hold each other, are let go, so that nobody looks for them."""
        super().add_ir_module(ir_module)
        for function in ir_module.functions:
            for block in function.blocks:
                block.instructions.clear()
            function.blocks.clear()

    def _optimize_functions(self, ll_module: ModuleRef) -> None:
        """Nothing: all is optimised once what it calls is there."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Once, where numba does it twice, so that references that are counted in helpers meet; helpers count none."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _HelperLibrary(_KernelLibrary):
    """LLVM's modules of a helper, which are linked into kernels: no machine code is made of them.

    They are optimised in kernels. Before, each function is made smaller, and helpers of helpers are put in.
    """

    def _optimize_functions(self, ll_module: ModuleRef) -> None:
        """As numba does it, but not for those that are declared only: each would get passes of its own."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager(opt=1)
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        cheap = {"cost": "cheap", "opt": 0, "loop_vectorize": False, "slp_vectorize": False}
        passes, builder = self._codegen._module_pass_manager(**cheap)
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"  # numba says so of a copy, and makes machine code of the other
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    _name = "kernel_lowering"
    _library = _KernelLibrary
    lowering_class = ThriftyLower

    def run_pass(self, state: Any) -> bool:
        state.library = self._library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _HelperLowering(_KernelLowering):
    _name = "helper_lowering"
    _library = _HelperLibrary

    def run_pass(self, state: Any) -> bool:
        if not state.flags.nrt:
            _require_borrowed(state)
        state.flags.no_compile = True
        super().run_pass(state)
        own, described = state.cr, state.cr.fndesc
        name = described.qualname.split(".")[-1]
        entry = _dynfunc.make_function(described.lookup_module(), name, "", 0, own.env, (state.library,))
        state.targetctx.insert_user_function(entry, described, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = own._replace(cfunc=entry)
        return True


def _require_borrowed(state: Any) -> None:
    """Raise where a function that counts no references is handed an array that was made for it, or returns one."""
    models, called = state.targetctx.data_model_manager, [("itself", state.return_type)]
    for call, signature in state.calltypes.items():
        kind = state.typemap[call.func.name] if getattr(call, "op", None) == "call" else None
        if isinstance(kind, types.Dispatcher):
            called.append((str(kind), signature.return_type))
    for name, returned in called:
        if models[returned].contains_nrt_meminfo():
            raise TypeError(f"{state.func_id.func_qualname}: arrays are returned by {name}; make it a `maker`")


class _Passes(PassManager):
    """One pass after the other: nobody listens to what each takes, and none is distrusted.

    Numba works out anew where variables live after each pass, and it tells of each with all of its settings.
    """

    def _runPass(self, index: int, one: CompilerPass, state: Any) -> None:
        one.analysis = self._analysis
        one.run_initialization(state)
        one.run_pass(state)
        one.run_finalizer(state)


class _Pipeline(CompilerBase):
    """Numba's passes, some of them left out, with a lowering of our own."""

    _lowering: type[NativeLowering]
    _known: ClassVar[dict[Any, PassManager]] = {}

    def left_out(self) -> tuple[type, ...]:
        """Passes that nobody needs."""
        return ()

    def define_pipelines(self) -> list[PassManager]:
        asked = type(self), self.left_out()
        if asked not in self._known:
            self._known[asked] = self._new_passes(self.left_out())
        return [self._known[asked]]

    def _new_passes(self, left_out: tuple[type, ...]) -> PassManager:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        own = _Passes(passes.pipeline_name)
        for one, description in passes.passes:
            if one not in left_out:
                own.add_pass(self._lowering if one is NativeLowering else one, description)
        own.finalize()
        return own


class KernelPipeline(_Pipeline):
    """For what Python calls."""

    _lowering = _KernelLowering


class HelperPipeline(_Pipeline):
    """For what kernels call."""

    _lowering = _HelperLowering

    def left_out(self) -> tuple[type, ...]:
        """Those of `NOT_OF_HELPERS`, and who counts no references need not know where each variable ends."""
        return NOT_OF_HELPERS if self.state.flags.nrt else (*NOT_OF_HELPERS, IRLegalization)


class OverloadPipeline(_Pipeline):
    """For what numba itself has written in Python, and kernels call."""

    _lowering = _HelperLowering


def set_environments(compiled: CompileResult) -> None:
    """Tell a kernel where the environments of its helpers are, as numba does for kernels from the cache."""
    for environment in compiled._find_referenced_environments():
        compiled.library.codegen.set_env(environment.env_name, environment)
