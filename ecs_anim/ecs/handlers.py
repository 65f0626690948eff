"""The handlers of a world's events."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ecs_anim.support.arguments import unknown

Handler = Callable[..., object]


class Handlers:
    """Handlers by event, in the order of registration."""

    def __init__(self, events: Sequence[str]) -> None:
        self._by_event: dict[str, dict[object, Handler]] = {event: {} for event in events}
        self._is_filling = False  # whether a `with` block of `renewed` runs
        self._offs: list[Callable[[], None]] = []  # functions that remove the handlers of this block

    def of(self, event: str) -> dict[object, Handler]:
        """Return the handlers of an event. Raises InputError for an undeclared event."""
        if event not in self._by_event:
            raise unknown("event", event, self._by_event)
        return self._by_event[event]

    def has(self, event: str) -> bool:
        """Return whether an event has a handler. An undeclared event has no handler."""
        return bool(self._by_event.get(event))

    def declare(self, event: str) -> None:
        """Add an event. The event can exist already."""
        self._by_event.setdefault(event, {})

    def add(self, event: str, handler: Handler) -> Callable[[], None]:
        """Register a handler. Return a function that removes the handler. A second call has no effect."""
        handlers, own = self.of(event), object()
        handlers[own] = handler

        def off() -> None:
            handlers.pop(own, None)

        if self._is_filling:
            self._offs.append(off)
        return off

    def call(self, event: str, *arguments: object) -> None:
        """Call all handlers of an event. Raises InputError for an undeclared event."""
        for handler in tuple(self.of(event).values()):
            handler(*arguments)

    def clear(self) -> None:
        """Remove all events and handlers."""
        self._by_event.clear()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Call no handler within the `with` block. The block cannot add or remove handlers."""
        handlers, self._by_event = self._by_event, {event: {} for event in self._by_event}
        try:
            yield
        finally:
            self._by_event = handlers

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Remove the handlers that the previous `with` block registered. After an error, remove the handlers of this
        block instead.
        """
        old, self._offs, self._is_filling = self._offs, [], True
        try:
            yield
        except BaseException:
            old, self._offs = self._offs, old
            raise
        finally:
            self._is_filling = False
            for off in old:
                off()
