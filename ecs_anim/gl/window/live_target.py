"""Targets of a window's pictures. If a processor draws, the quality falls to keep the frame rate."""

from dataclasses import replace

from ecs_anim.gl.device.context import Context
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.view.governor import Governor
from ecs_anim.view.quality import FINEST, LADDER, Quality


class LiveTarget(Resource):
    """A target that a governor makes finer and coarser; a GPU's pictures are all of the finest quality.

    `samples` a pixel: where they are given, all pictures have as many.
    """

    def __init__(self, context: Context, samples: int | None = None) -> None:
        self.is_governed = context.capabilities.is_software

        def sampled(quality: Quality) -> Quality:
            return quality if samples is None else replace(quality, samples=samples)

        self.finest = sampled(FINEST)  # for still pictures
        self._ladder = tuple(map(sampled, LADDER if self.is_governed else (FINEST,)))
        self._governor = Governor(len(self._ladder))
        self._context = context
        self._target: RenderTarget | None = None

    @property
    def quality(self) -> Quality:
        """The quality of the next picture."""
        return self._ladder[self._governor.step]

    @property
    def text(self) -> str:
        """Such as "quality 2 of 5"; empty for the finest of moving pictures."""
        step = self._governor.step
        return f"quality {len(self._ladder) - step} of {len(self._ladder)}" if step else ""

    def took(self, seconds: float) -> None:
        """Take the duration of the last moving picture."""
        self._governor.add(seconds)

    def of(self, quality: Quality, width: int, height: int) -> RenderTarget:
        """The target for a picture of this quality that is shown with `width` x `height` pixels."""
        size = tuple(max(1, round(quality.scale * length)) for length in (width, height))
        samples = min(quality.samples, self._context.capabilities.max_samples)
        if self._target is None or (self._target.size, self._target.samples) != (size, max(1, samples)):
            if self._target is not None:
                self._target.free()
                self._target = None  # a new target can be too large
            self._target = self.keep(RenderTarget(self._context, size[0], size[1], quality.samples))
        return self._target
