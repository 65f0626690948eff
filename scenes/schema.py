"""Schema of scene files. A pydantic model for each table states the unit, the range and the default of each key.

In scene files, angles are in degrees and colours are in sRGB, because these units are easier to write. The loader
converts angles to radians and colours to linear colours.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, create_model

from ecs_anim.maths.axes import Axis
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.schema_agents import AgentModel
from ecs_anim.scenes.schema_alarms import AlarmModel
from ecs_anim.scenes.schema_base import LARGEST, CodeModel, Color, Finite, NotNegative, Place3, Point2, Positive, Table
from ecs_anim.scenes.schema_cameras import SceneCameraModel
from ecs_anim.scenes.schema_furniture import FurnitureModel
from ecs_anim.scenes.schema_ground import FlatGround, GroundModel
from ecs_anim.scenes.schema_levels import LevelKeys
from ecs_anim.scenes.schema_lidar import LidarModel
from ecs_anim.scenes.schema_props import PropModel
from ecs_anim.scenes.schema_routing import AreaModel, RoutingModel
from ecs_anim.scenes.schema_rules import at_most_one, exactly_one, rule
from ecs_anim.scenes.schema_sky import LampsModel, SkyModel
from ecs_anim.scenes.schema_surfaces import SurfacesModel
from ecs_anim.scenes.schema_walls import WallsModel

PRESET = "preset"  # key of [vary] that names a preset


class RigModel(Table):
    """A character: a built-in character or a glTF file."""

    model: str = Field(
        description="'mannequin', 'people' (mannequins with many body shapes), 'chain' (bones in a row, 1 m), 'ball'"
        " (0.1 m), 'blob' (0.84 m, morph targets), 'bar' (1 m), 'forearm' (0.44 m), 'flag' (2.3 m), 'lattice' (0.92"
        " m), or the path of a .gltf, .glb or .vrm file, relative to the folder of the scene file"
    )
    joints: Annotated[int, Field(ge=1, le=200)] | None = Field(
        None,
        description="number of bones of a 'chain'. The first joint is joint_0, and the tip is joint_<joints>. Default:"
        " 5",
    )
    height: Positive | None = Field(
        None, description="height of the character [m]. The program scales the character to this height"
    )
    scale: Positive | None = Field(None, description="factor from the length unit of the file to metres. Default: 1")
    texture: str | None = Field(None, description="path of an image that replaces the base colour texture of the model")
    clips_from: list[str] = Field(
        [],
        description="other models or motions (.bvh, .npz) whose clips this character gets. The program matches joints"
        " by roles, or by names if both skeletons are equal. A humanoid without clips gets the clips of the mannequin",
    )
    root_motion: Literal["extract", "keep"] = Field(
        "extract",
        description="root motion of clips from `clips_from`, if joints are matched by roles. 'extract': in the clips, "
        "characters stay in place, and actors move at the speed of the clips. 'keep': in the clips, the hips "
        "move over the ground",
    )
    hands: bool = Field(
        False,
        description="for clips from `clips_from`, if joints are matched by roles. true: hands reach the positions of"
        " the hands in the source, scaled by shoulder height. false: arms have the directions of the arms in the"
        " source",
    )
    up: Axis | None = Field(
        None,
        description="axis that points up in the motions (.bvh, .npz) of `clips_from`. Default: the axis from the hips"
        " to the head",
    )
    roles: dict[str, str | list[str]] = Field(
        {},
        description="joints for roles that the program cannot find by joint names or by the shape of the skeleton"
        " (`ecs-anim inspect --roles`), such as left_hand = 'paddle' or spine = ['low', 'high']",
    )
    levels: Literal["file", "made"] = Field(
        "file",
        description="source of the coarser levels of detail. 'file': the file contains the levels. 'made': the program "
        "computes the levels from the finest mesh (with the 'lod' extra)",
    )
    facing_degrees: Finite | None = Field(
        None,
        description="direction that the character faces in its file, counter-clockwise from +Z when seen from above: 0"
        " is +Z, as in glTF, and 90 is +X. Default: 180 in VRM 0.x, measured from the joints for other humanoids,"
        " otherwise 0",
    )
    ground_offset: Finite = Field(0.0, description="distance by which the program raises the character [m]")
    patterns: bool = Field(
        False,
        description="with model = 'people': true adds outfits with stripes, checks, dots and prints, and with other"
        " colours of skin. A figure then has six outfits instead of two",
    )
    accessories: bool = Field(
        False,
        description="with model = 'people': true adds figures with hats, bags, coats, curls and ponytails. Each figure"
        " then has seven sets of accessories",
    )

    _one_size = at_most_one("height and scale must not be given together. Remove one of these keys", "height", "scale")
    _patterns_of_people = rule(
        "patterns needs model = 'people', because other models have no outfits. Leave out patterns",
        lambda rig: not rig.patterns or rig.model == "people",
    )
    _accessories_of_people = rule(
        "accessories needs model = 'people', because other models have no figures. Leave out accessories",
        lambda rig: not rig.accessories or rig.model == "people",
    )
    _joints_of_a_chain = rule(
        "joints needs model = 'chain', because other models have their own joints",
        lambda rig: rig.joints is None or rig.model == "chain",
    )


class SweepModel(Table):
    """A wave around a point. The program divides the actors into sections, and the cue reaches one section after the
    other.
    """

    seconds: Positive = Field(description="time of one round of the wave, counter-clockwise [s]")
    sections: Annotated[int, Field(ge=2, le=1000)] = Field(
        72, description="number of sections around the point. The sections act one after the other"
    )
    spread_seconds: NotNegative = Field(
        0.0, description="largest random time by which an actor acts earlier or later than its section [s]"
    )
    from_degrees: Finite = Field(0.0, description="direction of the first section, counter-clockwise from east")
    center: Point2 = Field((0.0, 0.0), description="x, y of the point [m]")


class CueModel(Table):
    """An action at a given time, such as a fade to another motion."""

    at_seconds: NotNegative = Field(description="time of the world at which the cue acts first [s]")
    every_seconds: Annotated[float, Field(ge=0.001, le=LARGEST, allow_inf_nan=False)] | None = Field(
        None, description="time between two repetitions of the cue [s]. Default: no repetition"
    )
    crowd: str | None = Field(None, description="name of the crowd. Default: all crowds")
    share: Annotated[float, Field(ge=0, le=1)] = Field(
        1.0,
        description="share of the actors that the cue reaches, 0 to 1. Each repetition chooses new actors at random",
    )
    fade_to: str | Annotated[list[str], Field(min_length=1)] | None = Field(
        None, description="motion to which actors fade, or a list of motions, of which each actor gets one at random"
    )
    fade_seconds: NotNegative = Field(0.3, description="duration of the fade to the new motion [s]")
    match_phase: bool = False
    set: dict[str, Finite | tuple[Finite, Finite]] = Field(
        {}, description="parameters that the cue sets, by name: a value, or a range of random values"
    )
    trigger: str | list[str] = []
    open: str | list[str] = Field([], description="names of doors, stairs, ramps, escalators and lifts that open")
    close: str | list[str] = Field([], description="names of doors, stairs, ramps, escalators and lifts that close")
    start: str | list[str] = Field([], description="names of escalators that start")
    stop: str | list[str] = Field([], description="names of escalators that stop. A stopped escalator is a stair")
    reverse: str | list[str] = Field(
        [], description="names of escalators, or of stairs with one direction, that change their direction"
    )
    release: str | list[str] = Field([], description="names of goals with `hold` that release their waiting actors")
    release_count: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None,
        description="number of actors that each goal of `release` releases, in the order of their arrival. Default:"
        " all actors, and actors that arrive later do not wait",
    )
    hold: str | list[str] = Field([], description="names of goals with `hold` that hold arriving actors again")
    sweep: SweepModel | None = Field(
        None, description="wave around a point: the cue reaches one section of actors after the other"
    )


class PartModel(CodeModel):
    """A user part: a class in Python that adds a feature with additional keys to crowds, see docs/user-systems.md."""

    part: str = Field(description="name of a class in the module")


class SystemModel(CodeModel):
    """A user system: a class in Python that runs in each time step, see docs/user-systems.md."""

    system: str = Field(description="name of a class in the module")
    before: str | None = Field(
        None, description="name of the system before which this system runs. `ecs-anim profile` lists the names"
    )
    after: str | None = Field(
        None, description="name of the system after which this system runs. Set `before` or `after`, not both"
    )
    options: dict[str, Any] = Field(
        {}, description="keyword arguments with which the program creates an instance of the class"
    )

    _one_side = exactly_one("write either before or after, such as after = 'locomotion'", "before", "after")


class CameraModel(Table):
    """An orbit camera."""

    target: Place3 = (0.0, 0.9, 0.0)
    distance: Positive = 8.0
    azimuth_degrees: Finite = Field(
        150.0, description="compass bearing from the target to the camera: 90 is east, 180 is south"
    )
    elevation_degrees: Annotated[float, Field(ge=-89, le=89)] = 15.0
    vertical_fov_degrees: Annotated[float, Field(gt=1, lt=150)] = 40.0


class LightModel(Table):
    """The light of the sun and the sky."""

    sun_azimuth_degrees: Finite = Field(124.0, description="compass bearing of the sun: 90 is east, 180 is south")
    sun_elevation_degrees: Annotated[float, Field(ge=1, le=90)] = 44.0
    sun_color: Color = "#fff5e6"
    sun_strength: NotNegative = 1.0
    sky_strength: NotNegative = Field(1.0, description="strength of the light of the whole sky")
    zenith_color: Color = Field("#7caadd", description="colour of the sky overhead")
    horizon_color: Color = Field("#dfe7ef", description="colour of the sky at the horizon, and of the fog")
    fog: tuple[NotNegative, Positive] = Field(
        (25.0, 180.0),
        description="distance from the camera where the fog begins, and distance where the fog hides everything [m]."
        " If the camera is high above the ground, the fog begins farther away",
    )
    shadows: Literal["map", "contact", "none"] = Field(
        "map",
        description="shadows. 'map': shadows of all objects in the light of the sun. 'contact': soft shadows, only"
        " below the actors. 'none': no shadows",
    )

    lamps: LampsModel | None = Field(None, description="lamps at night. Default: no lamps")

    _fog_thickens = rule(
        "fog: the first distance must be less than the second, such as [25, 180]",
        lambda light: light.fog[0] < light.fog[1],
    )


def _require_preset(vary: dict[str, Any] | str) -> dict[str, Any] | str:
    for key, value in vary.items() if isinstance(vary, dict) else ():
        if (value == "wild") != (key == PRESET):
            raise ValueError(f"{key}: only the key preset can be 'wild'. Write a range or {{ one_of = [...] }}")
    return vary


class OneOfModel(Table):
    """A list of values. The seed selects one value of the list, and all values have equal probability."""

    one_of: Annotated[list[Any], Field(min_length=1, max_length=1000)] = Field(
        description="possible values of the key, such as numbers, colours, paths, lists or tables"
    )


class SceneModel(LevelKeys):
    """A complete scene."""

    title: str = ""
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    frame_rate: Annotated[int, Field(ge=1, le=1000)] = Field(
        60,
        description="frames per second: the number of time steps of the simulation per second, and of pictures per"
        " second of a film",
    )
    rigs: Annotated[dict[str, RigModel], Field(min_length=1)] = Field(
        description="characters of the crowds, by name. Write [rigs.people], and in the next line model = 'people' or"
        " the path of a .glb file"
    )
    crowds: Annotated[list[CrowdModel], Field(min_length=1)] = Field(
        description="crowds of actors. Write [[crowds]], and in the next lines rig = 'people', which is a name in"
        " [rigs], and count = 20"
    )
    camera: CameraModel = CameraModel()
    cameras: list[SceneCameraModel] = Field([], description="named cameras, for `ecs-anim run --camera NAME`")
    lidar: LidarModel = LidarModel()
    light: LightModel = LightModel()
    sky: SkyModel | None = Field(None, description="panorama behind all objects. Default: the colours of [light]")
    ground: GroundModel | None = FlatGround()
    surfaces: SurfacesModel = SurfacesModel()
    walls: WallsModel | None = Field(None, description="walls of the walkable area, see docs/walls.md")
    props: list[PropModel] = Field([], description="static objects, such as trees and benches, see docs/props.md")
    furniture: FurnitureModel = Field(FurnitureModel(), description="props at random places, see docs/props.md")
    agents: list[AgentModel] = Field(
        [], description="external agents, such as robots, which a program moves, see docs/robots.md"
    )
    alarms: list[AlarmModel] = Field([], description="alarms that start the pre-movement times of waiting actors")
    areas: list[AreaModel] = Field([], description="areas in which steered actors walk slower or faster")
    routing: RoutingModel = RoutingModel()
    timeline: list[CueModel] = []
    vary: Annotated[
        Literal["wild"]
        | Annotated[
            dict[str, tuple[int, int] | tuple[Finite, Finite] | OneOfModel | Literal["wild"]], Field(max_length=100)
        ],
        AfterValidator(_require_preset),
    ] = Field(
        {},
        description='random values of scene keys such as "light.sun_azimuth_degrees" or "crowds[0].count": a range'
        " [least, most] or { one_of = [...] }. If both ends of a range are whole numbers, the value is a whole"
        " number. vary = 'wild', or the key preset = 'wild' in the table, varies the light, the surfaces, the cameras"
        " and the clothes. See docs/variety.md",
    )
    parts: list[PartModel] = Field(
        [],
        description="user parts: classes in Python that add features to crowds, with additional keys. A scene with"
        " user parts needs --allow-code",
    )
    systems: list[SystemModel] = Field(
        [],
        description="user systems: classes in Python that run in each time step. A scene with user systems needs"
        " --allow-code",
    )

    @property
    def has_walls(self) -> bool:
        """Return whether the scene has obstacles: walls or props."""
        return self.walls is not None or bool(self.levels) or any(prop.obstacle for prop in self.props)


class OpenCrowdModel(CrowdModel):
    """A crowd with additional keys.

    User parts define the additional keys. The loader can check these keys only if the user allows the code of the user
    parts to run.
    """

    model_config = ConfigDict(extra="allow")


# A scene with crowds that have additional keys.
OpenSceneModel = create_model(
    "OpenSceneModel",
    __base__=SceneModel,
    crowds=(Annotated[list[OpenCrowdModel], Field(min_length=1)], SceneModel.model_fields["crowds"]),
)
