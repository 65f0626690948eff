"""Render targets of a window. With a software renderer, the picture quality depends on the drawing time."""

from dataclasses import replace

from ecs_anim.gl.device.context import Context
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.view.governor import Governor
from ecs_anim.view.quality import FINEST, LADDER, Quality


class LiveTarget(Resource):
    """A render target that selects the picture quality for the frame rate. A GPU always draws with the highest quality.

    By default, the number of samples per pixel depends on the quality. If `samples` is given, all pictures have this
    number.
    """

    def __init__(self, context: Context, samples: int | None = None) -> None:
        self.is_governed = context.capabilities.is_software

        def sampled(quality: Quality) -> Quality:
            return quality if samples is None else replace(quality, samples=samples)

        self.finest = sampled(FINEST)  # quality of still pictures
        self._ladder = tuple(map(sampled, LADDER if self.is_governed else (FINEST,)))
        self._governor = Governor(len(self._ladder))
        self._context = context
        self._target: RenderTarget | None = None

    @property
    def quality(self) -> Quality:
        """Return the quality settings for the next picture."""
        return self._ladder[self._governor.step]

    @property
    def text(self) -> str:
        """Return the present quality as a text such as "quality 2 of 5". If moving pictures have the highest quality,
        the text is empty.
        """
        step = self._governor.step
        return f"quality {len(self._ladder) - step} of {len(self._ladder)}" if step else ""

    def took(self, seconds: float) -> None:
        """Record the drawing time of the last moving picture. The quality of later pictures depends on the recorded
        times.
        """
        self._governor.add(seconds)

    def restart(self) -> None:
        """Forget the recorded drawing times, and begin again with the highest quality for moving pictures."""
        self._governor = Governor(len(self._ladder))

    def of(self, quality: Quality, width: int, height: int) -> RenderTarget:
        """Return the render target for a picture with the quality settings `quality`.

        The window has `width` x `height` pixels.
        """
        size = tuple(max(1, round(quality.scale * length)) for length in (width, height))
        samples = min(quality.samples, self._context.capabilities.max_samples)
        if self._target is None or (self._target.size, self._target.samples) != (size, max(1, samples)):
            if self._target is not None:
                self._target.free()
                # the old target is forgotten first, because the creation of the new target can fail
                self._target = None
            self._target = self.keep(RenderTarget(self._context, size[0], size[1], quality.samples))
        return self._target
