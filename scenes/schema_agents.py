"""Schema of external agents: robots and vehicles that a program moves among the people of a scene."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ecs_anim.external.footprint import Footprint
from ecs_anim.scenes.schema_base import Color, Finite, Place2, Positive, Table
from ecs_anim.scenes.schema_rules import exactly_one, rule


class DiscFootprint(Table):
    """A disc."""

    kind: Literal["disc"]
    radius: Positive = Field(description="radius [m]")

    @property
    def size(self) -> Footprint:
        return Footprint(0.0, 0.0, self.radius)


class CapsuleFootprint(Table):
    """A rectangle with half discs at its front and its back."""

    kind: Literal["capsule"]
    length: Positive = Field(description="length along the heading, with both half discs [m]")
    radius: Positive = Field(description="radius of the half discs, half of the width [m]")

    _is_long = rule(
        "length must be more than 2 * radius. Enlarge length, or write kind = 'disc'",
        lambda own: own.length > 2 * own.radius,
    )

    @property
    def size(self) -> Footprint:
        return Footprint(self.length / 2 - self.radius, 0.0, self.radius)


class BoxFootprint(Table):
    """A rectangle."""

    kind: Literal["box"]
    length: Positive = Field(description="length along the heading [m]")
    width: Positive = Field(description="width [m]")

    @property
    def size(self) -> Footprint:
        return Footprint(self.length / 2, self.width / 2, 0.0)


class AgentModel(Table):
    """External agents. A program moves them (`ea.agents(world, NAME)`), and people avoid them."""

    name: str = Field(
        description="name of the agents, for `ea.agents`, and for cameras and targets as the name of a crowd"
    )
    footprint: Annotated[DiscFootprint | CapsuleFootprint | BoxFootprint, Field(discriminator="kind")] = Field(
        DiscFootprint(kind="disc", radius=0.3), description="shape on the plan that touches people, walls and props"
    )
    position: Place2 | None = Field(None, description="plan point x, y of the agent [m], for a single agent")
    positions: Annotated[list[Place2], Field(min_length=1)] | None = Field(
        None, description="plan point x, y of each agent [m], for several agents"
    )
    heading_degrees: Finite | list[Finite] = Field(
        90.0,
        description="heading, counter-clockwise from east: 0 is east, 90 is north. A list: one heading for each"
        " position",
    )
    model: str | None = Field(
        None,
        description="path of a .gltf, .glb or .vrm file relative to the folder of the scene file, the name of a"
        " built-in prop, or 'none' for an invisible agent. Clips do not play. Default: a body with the footprint",
    )
    height: Positive = Field(1.0, description="height of the model [m]")
    color: Color = Field("#e0a030", description="colour of a body without a model")
    avoided: bool = Field(True, description="whether steered actors avoid the agents")
    on_contact: Literal["slide", "stop"] = Field(
        "slide", description="movement at people, walls and props: 'slide' along them, or 'stop' in front of them"
    )

    _one_place = exactly_one("write exactly one of the keys position and positions", "position", "positions")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        headings, count = self.heading_degrees, len(self.places)
        if isinstance(headings, list) and len(headings) != count:
            raise ValueError(
                f"heading_degrees: a list must have one heading for each of the {count} agents (got {len(headings)})."
                " Write one heading for each agent, or one number for all agents."
            )
        return self

    @property
    def places(self) -> list[Place2]:
        """Return the plan point of each agent."""
        return self.positions or ([] if self.position is None else [self.position])

    @property
    def headings(self) -> list[float]:
        """Return the heading of each agent [degrees]."""
        said = self.heading_degrees
        return said if isinstance(said, list) else [said] * len(self.places)
