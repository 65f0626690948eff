"""Treads: the component with the stairs on which walking bodies step from tread to tread."""

from dataclasses import dataclass
from functools import cached_property

from ecs_anim.body.treads import Treads as Flights
from ecs_anim.ecs.records import Binding


@dataclass
class Treads(Binding):
    """The flights of stairs of a scene, for one crowd of walking bodies.

    Written by: the scene loader. Read by: the system `treads`.
    """

    flights: Flights

    @cached_property
    def arrays(self) -> Flights:
        """The flights as a record for kernels."""
        return self.bound(Flights, "flights")
