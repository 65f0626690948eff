"""Schema of scene files: one model for each table. Each key has its unit, range and default.

Angles are in degrees and colours in sRGB, because people type them. The loader converts the values.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, create_model

from ecs_anim.maths.axes import Axis
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.schema_base import LARGEST, CodeModel, Color, Finite, NotNegative, Place3, Point2, Positive, Table
from ecs_anim.scenes.schema_cameras import SceneCameraModel
from ecs_anim.scenes.schema_ground import FlatGround, GroundModel
from ecs_anim.scenes.schema_routing import AreaModel, RoutingModel
from ecs_anim.scenes.schema_rules import at_most_one, exactly_one, rule
from ecs_anim.scenes.schema_walls import WallsModel


class RigModel(Table):
    """A character: a built-in one or a glTF file."""

    model: str = Field(
        description="'mannequin', 'people' (the same in many figures), 'chain' (bones in a row, 1 m), 'ball' (0.1 m),"
        " 'blob' (0.84 m, morph targets), 'bar' (1 m), 'forearm' (0.44 m), 'flag' (2.3 m), 'lattice' (0.92 m),"
        " or the path of a .gltf, .glb or .vrm file, from the scene file's folder"
    )
    joints: Annotated[int, Field(ge=1, le=200)] | None = Field(
        None, description="of the 'chain': how many bones it has, joint_0 to the tip joint_<joints>; default 5"
    )
    height: Positive | None = Field(None, description="scale the character to this height [m]")
    scale: Positive | None = Field(None, description="factor from the file's units to metres; default 1")
    texture: str | None = Field(None, description="path of an image that replaces the base colour texture")
    clips_from: list[str] = Field(
        [],
        description="other models or .bvh files whose clips this character plays too: by joints' roles, by their names"
        " where skeletons are alike. A humanoid without clips has the mannequin's",
    )
    root_motion: Literal["extract", "keep"] = Field(
        "extract",
        description="of `clips_from`, by roles: 'extract' holds clips in place and moves actors as fast; 'keep' lets"
        " the hips travel",
    )
    hands: bool = Field(
        False,
        description="of `clips_from`, by roles: hands are where the other's are, by the shoulders' height; else arms"
        " keep its directions",
    )
    up: Axis | None = Field(
        None, description="the axis that points up in the .bvh files of `clips_from`; default: measured, hips to head"
    )
    roles: dict[str, str | list[str]] = Field(
        {},
        description="joints by role, where names and shape do not tell them (`ecs-anim inspect --roles`):"
        " left_hand = 'paddle', spine = ['low', 'high']",
    )
    levels: Literal["file", "made"] = Field(
        "file", description="coarser meshes: the file's own, or 'made' from the finest (the 'lod' extra)"
    )
    facing_degrees: Finite | None = Field(
        None,
        description="the character's front in its own file, counter-clockwise from +Z as seen from above: 0 is +Z, as"
        " glTF has it, 90 is +X; default: 180 in VRM 0.x, else measured from a humanoid's joints, else 0",
    )
    ground_offset: Finite = Field(0.0, description="raise the character by this much [m]")

    _one_size = at_most_one("give height or scale, not both", "height", "scale")
    _joints_of_a_chain = rule(
        "joints is for model = 'chain'; other models bring their own",
        lambda rig: rig.joints is None or rig.model == "chain",
    )


class SweepModel(Table):
    """A cue that moves around a point, from section to section of the actors."""

    seconds: Positive = Field(description="[s] once round, counter-clockwise")
    sections: Annotated[int, Field(ge=2, le=1000)] = Field(
        72, description="sections round the point, which act one after the other"
    )
    spread_seconds: NotNegative = Field(0.0, description="[s], by up to which an actor is early or late")
    from_degrees: Finite = Field(0.0, description="where it begins, counter-clockwise from east")
    center: Point2 = Field((0.0, 0.0), description="x, y of the point [m]")


class CueModel(Table):
    """An action at a time."""

    at_seconds: NotNegative = Field(description="[s], the time of the first event")
    every_seconds: Annotated[float, Field(ge=0.001, le=LARGEST, allow_inf_nan=False)] | None = Field(
        None, description="[s] between repetitions; default: once"
    )
    crowd: str | None = Field(None, description="default: all crowds")
    share: Annotated[float, Field(ge=0, le=1)] = Field(1.0, description="of the actors, drawn anew each time")
    fade_to: str | Annotated[list[str], Field(min_length=1)] | None = Field(
        None, description="a motion, or several of which each actor draws one"
    )
    fade_seconds: NotNegative = Field(0.3, description="[s], the time of a fade")
    match_phase: bool = False
    set: dict[str, Finite | tuple[Finite, Finite]] = Field({}, description="parameters: a value, or a range")
    trigger: str | list[str] = []
    open: str | list[str] = Field([], description="doors of the walls, by name")
    close: str | list[str] = Field([], description="doors of the walls, by name")
    sweep: SweepModel | None = Field(None, description="go round instead of reaching all at once, such as a wave")


class PartModel(CodeModel):
    """A user's part: an additional feature of crowds with keys of its own; docs/user-systems.md."""

    part: str = Field(description="a class in the module")


class SystemModel(CodeModel):
    """A user's system; docs/user-systems.md."""

    system: str = Field(description="a class in the module")
    before: str | None = Field(None, description="the system that it goes before, as `ecs-anim profile` names it")
    after: str | None = Field(None, description="the system that it goes after; give before or after")
    options: dict[str, Any] = Field({}, description="keyword arguments of the class")

    _one_side = exactly_one("give before or after, one of them, such as after = 'locomotion'", "before", "after")


class CameraModel(Table):
    """An orbit camera."""

    target: Place3 = (0.0, 0.9, 0.0)
    distance: Positive = 8.0
    azimuth_degrees: Finite = Field(
        150.0, description="compass bearing of the camera from its target: 90 is east, 180 is south"
    )
    elevation_degrees: Annotated[float, Field(ge=-89, le=89)] = 15.0
    vertical_fov_degrees: Annotated[float, Field(gt=1, lt=150)] = 40.0


class LightModel(Table):
    """Sun and sky."""

    sun_azimuth_degrees: Finite = Field(124.0, description="compass bearing of the sun: 90 is east, 180 is south")
    sun_elevation_degrees: Annotated[float, Field(ge=1, le=90)] = 44.0
    sun_color: Color = "#fff5e6"
    sun_strength: NotNegative = 1.0
    sky_strength: NotNegative = Field(1.0, description="of the light that comes from the whole sky")
    zenith_color: Color = Field("#7caadd", description="the sky overhead")
    horizon_color: Color = Field("#dfe7ef", description="the sky far away, and what the ground fades into")
    fog: tuple[NotNegative, Positive] = Field(
        (25.0, 180.0),
        description="[m] from the camera: where the fog in the horizon's colour begins, and where it hides all else;"
        " the further, the higher the camera",
    )
    shadows: Literal["map", "contact", "none"] = Field(
        "map", description="the sun's, of all on all; or only soft ones below the actors; or none"
    )

    _fog_thickens = rule(
        "fog: it should begin before it ends, such as [25, 180]", lambda light: light.fog[0] < light.fog[1]
    )


class OneOfModel(Table):
    """Values from which the seed draws one, with equal probability."""

    one_of: Annotated[list[Any], Field(min_length=1, max_length=1000)] = Field(
        description="whatever the key may hold: numbers, colours, paths, lists, tables"
    )


class SceneModel(Table):
    """A whole scene."""

    title: str = ""
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    frame_rate: Annotated[int, Field(ge=1, le=1000)] = Field(
        60, description="frames a second: steps of the simulation, and pictures of a film"
    )
    rigs: Annotated[dict[str, RigModel], Field(min_length=1)] = Field(
        description="characters of crowds, by name: [rigs.people], and below it model = 'people' or the path of a .glb"
    )
    crowds: Annotated[list[CrowdModel], Field(min_length=1)] = Field(
        description="the actors: [[crowds]], and below it rig = 'people', a name from [rigs], and count = 20"
    )
    camera: CameraModel = CameraModel()
    cameras: list[SceneCameraModel] = Field([], description="others, by name: `ecs-anim run --camera NAME`")
    light: LightModel = LightModel()
    ground: GroundModel | None = FlatGround()
    walls: WallsModel | None = Field(None, description="what bounds where people may be; docs/walls.md")
    areas: list[AreaModel] = Field([], description="where steering actors are slower, or faster")
    routing: RoutingModel = RoutingModel()
    timeline: list[CueModel] = []
    vary: Annotated[dict[str, tuple[int, int] | tuple[Finite, Finite] | OneOfModel], Field(max_length=100)] = Field(
        {},
        description='what the seed draws, by scene keys such as "light.sun_azimuth_degrees" or "crowds[0].count":'
        " a range [least, most], of whole numbers where both ends are, or { one_of = [...] }; docs/variety.md",
    )
    parts: list[PartModel] = Field(
        [], description="what crowds can have besides, with keys of its own; these run code: --allow-code"
    )
    systems: list[SystemModel] = Field([], description="systems of one's own; these run code: --allow-code")


class OpenCrowdModel(CrowdModel):
    """A crowd with additional keys.

    Users' parts define these keys, and code must be allowed to run before they are known.
    """

    model_config = ConfigDict(extra="allow")


# A scene with crowds that have additional keys.
OpenSceneModel = create_model(
    "OpenSceneModel",
    __base__=SceneModel,
    crowds=(Annotated[list[OpenCrowdModel], Field(min_length=1)], SceneModel.model_fields["crowds"]),
)
