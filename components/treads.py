"""Treads: the component that stores the stairs on which walking bodies step from tread to tread."""

from dataclasses import dataclass, field
from functools import cached_property

from ecs_anim.body.treads import Treads as Flights
from ecs_anim.ecs.records import Binding


@dataclass
class Treads(Binding):
    """The flights of stairs of a scene, for one crowd of walking bodies.

    Written by: the scene loader, and the systems `timeline` and `escalators`. Read by: the system `treads`.
    """

    flights: Flights
    numbers: dict[str, int] = field(default_factory=dict)  # row in `flights` by the name of the flight

    @cached_property
    def arrays(self) -> Flights:
        """The flights as a record for kernels."""
        return self.bound(Flights, "flights")
