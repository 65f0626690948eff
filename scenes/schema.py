"""What a scene file may say: one model a table, each key with its unit, range and default.

Angles are in degrees and colours are sRGB here, where people type them; the loader converts.
"""

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ecs_anim.scenes.schema_bake import BakeModel, DetailModel, NearModel
from ecs_anim.scenes.schema_base import LARGEST, Color, Finite, NotNegative, Point2, Point3, Positive, Table
from ecs_anim.scenes.schema_body import BodyModel
from ecs_anim.scenes.schema_ground import FlatGround, GroundModel
from ecs_anim.scenes.schema_grounding import GroundingModel
from ecs_anim.scenes.schema_ik import LimitModel, ReachModel
from ecs_anim.scenes.schema_layout import Layout, PointsLayout
from ecs_anim.scenes.schema_look_at import LookAtModel
from ecs_anim.scenes.schema_targets import TargetModel


class RigModel(Table):
    """A character: a built-in one or a glTF file."""

    model: str = Field(
        description="'mannequin', 'chain' (bones in a row, 1 m), 'ball' (0.1 m), 'blob' (0.84 m,"
        " morph targets), 'bar' (1 m), 'forearm' (0.44 m), 'flag' (2.3 m), 'lattice' (0.92 m),"
        " or the path of a .gltf or .glb file, from the scene file's folder"
    )
    joints: Annotated[int, Field(ge=1, le=200)] | None = Field(
        None, description="of the 'chain': how many bones it has, joint_0 to the tip joint_<joints>; default 5"
    )
    height: Positive | None = Field(None, description="scale the character to this height [m]")
    scale: Positive | None = Field(None, description="factor from the file's units to metres; default 1")
    texture: str | None = Field(None, description="path of an image that replaces the base colour texture")
    clips_from: list[str] = Field(
        [], description="other models whose clips this character plays too, by joint names; key values stay as they are"
    )
    levels: Literal["file", "made"] = Field(
        "file", description="coarser meshes: the file's own, or 'made' from the finest (the 'lod' extra)"
    )
    facing_degrees: Finite = Field(
        0.0, description="where the file's character faces: 0 is +Z, as glTF has it, 90 is +X"
    )
    ground_offset: Finite = Field(0.0, description="raise the character by this much [m]")

    @model_validator(mode="after")
    def _one_size(self) -> "RigModel":
        if self.height is not None and self.scale is not None:
            raise ValueError("give height or scale, not both")
        return self

    @model_validator(mode="after")
    def _joints_of_a_chain(self) -> "RigModel":
        if self.joints is not None and self.model != "chain":
            raise ValueError("joints is for model = 'chain'; other models bring their own")
        return self


class CurveModel(Table):
    """A scalar over a clip's time."""

    times: Annotated[list[NotNegative], Field(min_length=1)] = Field(description="[s] since the clip's start")
    values: Annotated[list[Finite], Field(min_length=1)]
    interpolation: Literal["STEP", "LINEAR"] = "LINEAR"

    @model_validator(mode="after")
    def _in_order(self) -> "CurveModel":
        if len(self.times) != len(self.values):
            raise ValueError("times and values must be equally many")
        if any(b <= a for a, b in pairwise(self.times)):
            raise ValueError("times must rise")
        return self


class ClipModel(Table):
    """A clip that actors of a crowd may play."""

    name: str
    weight: NotNegative = Field(1.0, description="how many actors play it, against the other clips' weights")
    speed: Finite | tuple[Finite, Finite] = Field(1.0, description="playback speed, or a range to draw from")
    phase: Annotated[float, Field(ge=0, le=1)] | Literal["random"] = Field(
        "random", description="where in the clip actors begin, 0 to 1"
    )
    loop: bool | None = Field(None, description="wrap at the end; default: what the file's extras say, else true")
    ground_speed: Finite | None = Field(
        None, description="[m/s] the clip was made for; default: the file's extras, else measured from the feet"
    )
    events: dict[str, list[NotNegative]] = Field({}, description="times [s] since the clip's start, by event")
    curves: dict[str, CurveModel] = Field({}, description="scalar curves by the parameter that they drive")


class MemberModel(Table):
    """A clip at a place in a blend space."""

    clip: str
    at: Finite | Point2 | None = Field(
        None, description="parameter value(s) that ask for this clip alone; default: its speed over the ground [m/s]"
    )


class BlendSpaceModel(Table):
    """Clips mixed by one parameter or two, in step."""

    name: str
    parameters: Annotated[list[str], Field(min_length=1, max_length=2)] = Field(
        description="one: such as a speed; two: such as the speeds to the left and ahead"
    )
    members: Annotated[list[MemberModel], Field(min_length=2, max_length=8)]
    sync: Literal["phase", "contacts"] = Field(
        "phase", description="keep step by relative time, or by the foot contacts in the clips' extras"
    )
    keeps_pace: bool = Field(
        True, description="the parameters are speeds [m/s]: actors move at them, and feet keep to the ground"
    )
    weight: NotNegative = Field(1.0, description="how many actors begin with it, against the clips' weights")
    phase: Annotated[float, Field(ge=0, le=1)] | Literal["random"] = "random"


class ParameterModel(Table):
    """A number that each actor has."""

    initial: Finite | tuple[Finite, Finite] = Field(0.0, description="a value, or a range to draw from")
    rate: Positive | None = Field(None, description="the most it changes in a second; default: at once")


class LayerModel(Table):
    """A clip on top of what an actor plays."""

    name: str | None = Field(None, description="default: the clip's name")
    clip: str
    mode: Literal["additive", "override"] = "additive"
    reference: NotNegative = Field(0.0, description="additive: time [s] of the clip's reference pose")
    mask: str | dict[str, Annotated[float, Field(ge=0, le=1)]] | None = Field(
        None, description="a joint, for it and all below; or shares by joint; default: the whole body"
    )
    weight: Annotated[float, Field(ge=0, le=1)] | str = Field(1.0, description="a share, or a parameter")
    phase: Literal["time"] | str = Field("time", description="driven by time, or by a parameter from 0 to 1")
    speed: Finite = 1.0
    loop: bool = True


class TransitionModel(Table):
    """What makes an actor change its state."""

    source: str = Field(alias="from", description="a state, or 'any'")
    to: str
    when: Annotated[list[str], Field(min_length=1)] = Field(
        description="all must hold: 'speed > 2', 'elapsed > 1.5', 'phase >= 0.5', 'finished', or a trigger's name"
    )
    fade: NotNegative = Field(0.25, description="[s]")
    match_phase: bool = Field(False, description="the new motion takes over the old one's phase")


class ControllerModel(Table):
    """A state machine."""

    start: str
    states: Annotated[dict[str, str], Field(min_length=1)] = Field(description="motion by state")
    transitions: list[TransitionModel] = []


class LocomotionModel(Table):
    """Actors walk at their clip's speed."""

    turn_rate_degrees: NotNegative = Field(60.0, description="[degrees/s], the most an actor turns")
    area_radius: Positive | None = Field(None, description="[m]; actors outside it turn back; default: no bounds")
    area_center: Point2 = (0.0, 0.0)


Images = Annotated[list[str], Field(min_length=1)]


class CrowdModel(Table):
    """Actors that share a rig."""

    name: str | None = Field(None, description="default: the rig's name")
    rig: str = Field(description="a name from [rigs]")
    count: Annotated[int, Field(ge=1)] = 1
    layout: Layout = PointsLayout(kind="points", points=[(0.0, 0.0)])
    heading_degrees: Finite | Literal["random", "center"] = Field(
        0.0,
        description="where actors face: 0 is +Z, 90 is +X, or turned that far from where their seat faces; 'random';"
        " 'center' looks at the layout's middle",
    )
    clips: list[ClipModel] = []
    blend_spaces: list[BlendSpaceModel] = []
    clip_choice: Literal["random", "in_turn"] = Field(
        "random", description="draw each actor's first motion by weight, or deal them out in turn"
    )
    fade_slots: Annotated[int, Field(ge=1, le=8)] = Field(4, description="motions in flight at once, fades included")
    parameters: dict[str, Finite | tuple[Finite, Finite] | ParameterModel] = Field(
        {}, description="numbers that drive blend spaces, layers and the controller: a value, a range, or a table"
    )
    triggers: list[str] = Field(
        [], description="parameters that are pulled once and reset by the transition they cause"
    )
    layers: list[LayerModel] = []
    controller: ControllerModel | None = None
    morphs: dict[str, Finite | tuple[Finite, Finite] | str] = Field(
        {}, description="weights of morph targets by name: a value, a range to draw from, or a parameter"
    )
    tints: Annotated[list[Color], Field(min_length=1)] = Field(
        default=["#ffffff"], description="colours actors are drawn from"
    )
    variants: Images | dict[str, Images] | None = Field(
        None,
        description="paths of images of one size, of which each actor wears one, drawn at random, in the place of"
        " the rig's base colour textures; or such lists by material; default: what the rig brings",
    )
    size_variation: Annotated[float, Field(ge=0, lt=1)] = Field(0.0, description="sizes vary by up to this share")
    path: Literal["pose", "baked", "auto"] = Field(
        "pose",
        description="who poses actors: 'pose' the CPU; 'baked' the GPU, from a bake of the clips, for very many actors;"
        " 'auto' the CPU those that are near, the GPU all others",
    )
    bake: BakeModel | None = Field(None, description="how clips are baked; path 'baked' and 'auto'")
    near: NearModel | None = Field(None, description="which actors the CPU poses; path 'auto'")
    level: Annotated[int, Field(ge=0)] | Literal["auto"] = Field(
        0, description="level of detail of the meshes, 0 = finest; 'auto': by size in the picture; path 'baked', 'auto'"
    )
    detail: DetailModel | None = Field(
        None, description="level = 'auto': how levels are chosen; path = 'pose': how often far actors are posed"
    )
    skinning: Literal["linear", "dual_quaternion"] = Field(
        "linear", description="how the skin follows the joints: twisted limbs keep their volume with dual quaternions"
    )
    palette_bits: Literal[32, 16] = Field(
        32, description="that each number of a palette takes on its way to the GPU; 16: half the memory, 0.1 mm off"
    )
    show_skin: bool = True
    show_joints: bool = Field(False, description="draw bones and joints, over the skin where that is shown too")
    targets: dict[str, TargetModel] = Field({}, description="what actors look at and reach for, by name")
    look_at: LookAtModel | list[LookAtModel] | None = Field(
        None, description="what actors turn to: one table, or several, such as a head's and then each eye's"
    )
    reach: list[ReachModel] = Field([], description="chains of joints whose ends reach for targets, in this order")
    limits: dict[str, LimitModel] = Field({}, description="how far joints of these chains turn, by joint name")
    show_targets: bool = Field(False, description="draw what the actors reach for or look at, as small balls")
    locomotion: LocomotionModel | None = None
    grounding: GroundingModel | None = Field(None, description="feet stand on the ground; {} is enough")
    body: BodyModel | None = Field(None, description="actors walk wherever they are moved to; {} is enough")

    @model_validator(mode="after")
    def _has_motions(self) -> "CrowdModel":
        if not self.clips and not self.blend_spaces and self.body is None:
            raise ValueError("a crowd needs clips or blend_spaces, or a body")
        return self

    @model_validator(mode="after")
    def _body_is_posed(self) -> "CrowdModel":
        if self.body is not None and self.path != "pose":
            raise ValueError('body: only the CPU brings feet to where they step; leave path out, or say path = "pose"')
        return self

    @model_validator(mode="after")
    def _path_has_its_tables(self) -> "CrowdModel":
        if self.path == "pose" and self.bake is not None:
            raise ValueError('bake: the CPU poses this crowd; add path = "baked" or path = "auto"')
        if self.path == "pose" and self.level == "auto":
            raise ValueError('level = "auto" is for crowds that the GPU poses; add path = "baked" or path = "auto"')
        if self.path != "auto" and self.near is not None:
            raise ValueError('near: only hybrid crowds have near actors; add path = "auto"')
        if self.path != "pose" and self.level != "auto" and self.detail is not None:
            raise ValueError('detail: this crowd has one level of detail; add level = "auto"')
        return self

    @property
    def said_of_motions(self) -> str:
        """All that is said of them, but which actors begin with what: equal for crowds that can share them."""
        clips = [(clip.name, clip.loop, clip.ground_speed) for clip in self.clips]
        spaces = [space.model_copy(update={"weight": 1.0, "phase": "random"}) for space in self.blend_spaces]
        return repr((clips, spaces, [layer.clip for layer in self.layers], self.body))

    @property
    def takes_turns(self) -> bool:
        """Whether the CPU poses far actors in every second or fourth step only."""
        return self.path == "pose" and self.detail is not None and self.detail.update_rates

    @model_validator(mode="after")
    def _may_wait_for_poses(self) -> "CrowdModel":
        if self.path == "pose" and self.detail is not None and self.detail.impostors:
            raise ValueError('detail.impostors: the CPU poses this crowd; add path = "baked" or path = "auto"')
        for key in ("grounding", "look_at"):
            if self.takes_turns and getattr(self, key) is not None:
                raise ValueError(f"detail.update_rates: {key} needs every actor posed in every step; leave one out")
        return self

    @model_validator(mode="after")
    def _shows_what_it_has(self) -> "CrowdModel":
        if self.show_targets and not self.targets:
            raise ValueError("show_targets: the crowd has no targets; add [crowds.targets.<name>]")
        return self


class SweepModel(Table):
    """A cue that goes round, from section to section of those who stand round a point."""

    seconds: Positive = Field(description="[s] once round, towards growing degrees")
    sections: Annotated[int, Field(ge=2, le=1000)] = Field(72, description="that have their turn one after the other")
    spread_seconds: NotNegative = Field(0.0, description="[s], by up to which an actor is early or late")
    from_degrees: Finite = Field(0.0, description="where it begins: 0 is +Z, 90 is +X")
    center: Point2 = Field((0.0, 0.0), description="x, z of the point [m]")


class CueModel(Table):
    """Something that happens at a time."""

    at: NotNegative = Field(description="[s]")
    every: Annotated[float, Field(ge=0.001, le=LARGEST, allow_inf_nan=False)] | None = Field(
        None, description="[s] between repetitions; default: once"
    )
    crowd: str | None = Field(None, description="default: all crowds")
    share: Annotated[float, Field(ge=0, le=1)] = Field(1.0, description="of the actors, drawn anew each time")
    fade_to: str | Annotated[list[str], Field(min_length=1)] | None = Field(
        None, description="a motion, or several of which each actor draws one"
    )
    fade: NotNegative = Field(0.3, description="[s]")
    match_phase: bool = False
    set: dict[str, Finite | tuple[Finite, Finite]] = Field({}, description="parameters: a value, or a range")
    trigger: str | list[str] = []
    sweep: SweepModel | None = Field(None, description="go round instead of reaching all at once, such as a wave")


class SystemModel(Table):
    """A system of one's own; docs/user-systems.md."""

    module: str = Field(
        description="path of a .py file, in the scene file's folder or below, or the name of an importable module;"
        " it is run only where that is allowed: --allow-code"
    )
    system: str = Field(description="a class in the module")
    before: str | None = Field(None, description="the system that it goes before, as `ecs-anim profile` names it")
    after: str | None = Field(None, description="the system that it goes after; give before or after")
    options: dict[str, Any] = Field({}, description="keyword arguments of the class")

    @model_validator(mode="after")
    def _one_place(self) -> "SystemModel":
        if (self.before is None) == (self.after is None):
            raise ValueError("give before or after, one of them, such as after = 'locomotion'")
        return self


class CameraModel(Table):
    """An orbit camera."""

    target: Point3 = (0.0, 0.9, 0.0)
    distance: Positive = 8.0
    azimuth_degrees: Finite = Field(30.0, description="0 looks from +Z, 90 from +X")
    elevation_degrees: Annotated[float, Field(ge=-89, le=89)] = 15.0
    vertical_fov_degrees: Annotated[float, Field(gt=1, lt=150)] = 40.0


class LightModel(Table):
    """Sun and sky."""

    sun_azimuth_degrees: Finite = Field(56.0, description="where the sun stands: 0 is +Z, 90 is +X")
    sun_elevation_degrees: Annotated[float, Field(ge=1, le=90)] = 44.0
    sun_color: Color = "#fff5e6"
    sun_strength: NotNegative = 1.0
    sky_strength: NotNegative = Field(1.0, description="of the light that comes from the whole sky")
    zenith_color: Color = Field("#7caadd", description="the sky overhead")
    horizon_color: Color = Field("#dfe7ef", description="the sky far away, and what the ground fades into")
    haze: tuple[NotNegative, Positive] = Field(
        (25.0, 180.0),
        description="[m] from the camera: where things begin to fade into the horizon's colour, and where nothing else"
        " is left; the further, the higher the camera",
    )
    shadows: Literal["map", "contact", "none"] = Field(
        "map", description="the sun's, of all on all; or only soft ones below the actors; or none"
    )

    @model_validator(mode="after")
    def _haze_thickens(self) -> "LightModel":
        if self.haze[0] >= self.haze[1]:
            raise ValueError("haze: it should begin before it ends, such as [25, 180]")
        return self


class SceneModel(Table):
    """A whole scene."""

    title: str = ""
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    frame_rate: Annotated[int, Field(ge=1, le=1000)] = Field(
        60, description="simulation steps a second, and video rate"
    )
    rigs: Annotated[dict[str, RigModel], Field(min_length=1)]
    crowds: Annotated[list[CrowdModel], Field(min_length=1)]
    camera: CameraModel = CameraModel()
    light: LightModel = LightModel()
    ground: GroundModel | None = FlatGround()
    timeline: list[CueModel] = []
    systems: list[SystemModel] = Field([], description="systems of one's own; these run code: --allow-code")
