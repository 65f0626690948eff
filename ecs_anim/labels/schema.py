"""The schema of labels.jsonl. Each line of this file is one `Label`: a picture and its actors.

`json_schema` returns the schema as JSON Schema (draft 2020-12). Every data set contains it as `labels.schema.json`.

Coordinates in space are x east, y up, z south [m]. Coordinates on the plan are x east, y north [m]. Quaternions are
x, y, z, w.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

VERSION = 2  # version of the schema; 1 = before the fields of bodies, actions and random values

Point = Annotated[list[float], Field(min_length=2, max_length=2)]
Vector = Annotated[list[float], Field(min_length=3, max_length=3)]
Quaternion = Annotated[list[float], Field(min_length=4, max_length=4)]
Box = Annotated[list[int], Field(min_length=4, max_length=4)]


class Part(BaseModel):
    """A table of a label."""

    model_config = ConfigDict(extra="forbid", strict=True)


class RunLengths(Part):
    """A mask as the compressed run lengths of COCO."""

    size: Annotated[list[int], Field(min_length=2, max_length=2, description="height and width of the picture [pixel]")]
    counts: str


class View(Part):
    """The pose and the lens of a camera. The camera looks along -Z, and +Y is up."""

    world_to_view: Annotated[list[list[float]], Field(description="matrix [4, 4] from space to the camera")]
    near: Annotated[float, Field(description="distance of the near plane [m]")]
    far: Annotated[float, Field(description="distance of the far plane [m]")]


class FocalView(View):
    """A camera whose lens has a focal length."""

    focal_length: Annotated[float, Field(description="equal to `fy`")]
    center: Annotated[Point, Field(description="`cx` and `cy`")]
    fx: Annotated[float, Field(description="focal length [pixel]")]
    fy: Annotated[float, Field(description="focal length [pixel]")]
    cx: Annotated[float, Field(description="principal point [pixel]")]
    cy: Annotated[float, Field(description="principal point [pixel]")]


class PinholeView(FocalView):
    """A pinhole camera with Brown-Conrady distortion. Depths are distances along the optical axis."""

    model: Literal["pinhole"]
    depth_along: Literal["axis"]
    distortion: Annotated[dict[str, float], Field(description="coefficients of Brown's model, as in OpenCV")]


class FisheyeView(FocalView):
    """A fisheye camera. Depths are distances from the camera."""

    model: Literal["fisheye"]
    depth_along: Literal["ray"]
    distortion: Annotated[dict[str, float], Field(description="coefficients of OpenCV's module fisheye")]
    field_of_view: Annotated[float, Field(description="field of view of the image circle [rad]")]


class EquirectangularView(View):
    """A panorama of all directions. Depths are distances from the camera."""

    model: Literal["equirectangular"]
    depth_along: Literal["ray"]


class OrthographicView(View):
    """A camera with parallel view rays. Depths are distances along the optical axis."""

    model: Literal["orthographic"]
    depth_along: Literal["axis"]
    view_width: Annotated[float, Field(description="width of the view [m]")]


class LidarView(Part):
    """The pose and the rays of the lidar of the pass `lidar`. The lidar looks along -Z, and +Y is up."""

    world_to_lidar: Annotated[list[list[float]], Field(description="matrix [4, 4] from space to the lidar")]
    elevations: Annotated[list[float], Field(description="of the rings, falling [rad]")]
    azimuth_steps: Annotated[int, Field(description="number of rays of a ring, clockwise from behind the lidar")]
    range: Annotated[Point, Field(description="smallest and largest distance of a return [m]")]


class SkeletonNames(Part):
    """The joints of all actors in a crowd."""

    joint_names: list[str]
    parents: Annotated[list[int], Field(description="index of each joint's parent joint; -1 = no parent")]


class CameraBox(Part):
    """The centre and the rotation of a box in the coordinate frame of the camera."""

    center: Vector
    rotation: Quaternion


class OrientedBox(Part):
    """The smallest box around the skin of an actor whose axes are the actor's heading, its left, and the up
    direction.
    """

    center: Annotated[Vector, Field(description="in space [m]")]
    size: Annotated[Vector, Field(description="length along the heading, width and height [m]")]
    rotation: Annotated[Quaternion, Field(description="from the axes forward, left, up to space")]
    in_camera: CameraBox


class Joints(Part):
    """The joints of an actor, in the order of the skeleton of its crowd."""

    positions: Annotated[list[Vector], Field(description="in space [m]")]
    rotations: Annotated[list[Quaternion], Field(description="from the coordinate frame of the joint to space")]


class SmplPose(Part):
    """The pose of an actor as parameters of SMPL-X: the 55 joints of SMPL-X, with +Y up."""

    poses: Annotated[
        list[Vector], Field(description="rotation vector of each joint relative to its parent joint [rad]")
    ]
    trans: Annotated[Vector, Field(description="pelvis minus `rest_joints[0]`, in space [m]")]
    rest_joints: Annotated[list[Vector], Field(description="joints of the T-pose with the actor's bone lengths [m]")]
    error: Annotated[float, Field(description="largest distance between these joints and joints of the actor [m]")]


class GoalPoint(Part):
    """The goal of a steered actor."""

    name: Annotated[str | None, Field(description="name of the goal in the scene; null = an own goal")]
    position: Annotated[Point, Field(description="on the plan [m]")]
    level: Annotated[str | None, Field(description="name of the level in a building")]


class Actor(Part):
    """An actor in a picture. The actor can be completely hidden."""

    id: Annotated[int, Field(description="id of the actor in the pictures of this seed")]
    track_id: Annotated[int, Field(description="number of the actor, unique in the data set")]
    crowd: str
    category: Annotated[str, Field(description="`person`, or the name of the rig")]
    area: Annotated[int, Field(ge=0, description="visible area [pixel]; 0 = hidden")]
    bbox: Annotated[Box, Field(description="left, top, width and height of the visible pixels [pixel]")]
    segmentation: Annotated[RunLengths | None, Field(description="visible pixels; null = hidden")]
    amodal_area: Annotated[int, Field(ge=0, description="area of the visible and hidden pixels [pixel]")]
    amodal_bbox: Annotated[Box, Field(description="box of the visible and hidden pixels [pixel]")]
    amodal_segmentation: Annotated[RunLengths, Field(description="visible and hidden pixels")]
    occlusion: Annotated[float, Field(ge=0, le=1, description="hidden share of the pixels")]
    keypoints: Annotated[list[float] | None, Field(description="x, y and visibility of COCO's seventeen keypoints")]
    keypoints_3d: Annotated[list[Vector | None] | None, Field(description="keypoints in space [m]")]
    figure: Annotated[str | None, Field(description="name of the body shape")]
    outfit: Annotated[int | None, Field(description="number of the clothes")]
    tint: Annotated[str | None, Field(description="colour that multiplies the tinted clothes, as #rrggbb (sRGB)")]
    height: Annotated[float, Field(description="height in the rest pose [m]")]
    age: Annotated[Literal["child", "young", "adult", "old"] | None, Field(description="age of the figure")]
    build: Annotated[Literal["slim", "average", "strong", "stout"] | None, Field(description="build of the figure")] = (
        None
    )
    skin_tone: Annotated[
        Literal["light_skin", "medium_skin", "dark_skin"] | None, Field(description="skin tone of the figure's outfit")
    ] = None
    action: Annotated[str, Field(description="such as `standing`, `walking` or `waving`")]
    state: Annotated[str | None, Field(description="state of the state machine")]
    position: Annotated[Vector, Field(description="point on the ground between the feet, in space [m]")]
    heading: Annotated[float, Field(description="counter-clockwise from east [rad]")]
    velocity: Annotated[Vector | None, Field(description="of the last time step, in space [m/s]; null = unknown")]
    gaze: Annotated[Vector | None, Field(description="direction of the head, a unit vector in space")]
    box_3d: OrientedBox | None
    joints: Joints
    smplx: Annotated[
        SmplPose | None, Field(description="only with the option `poses`; null = the actor is not a humanoid")
    ] = None
    foot_contacts: Annotated[
        dict[str, bool] | None, Field(description="by foot joint: true = the foot is on the ground; null = unknown")
    ]
    group: Annotated[int | None, Field(description="number of the group in the crowd")]
    goal: GoalPoint | None


class Label(Part):
    """A picture of a camera, and the actors in the picture."""

    version: Literal[2]
    camera: str
    number: Annotated[int, Field(ge=0, description="number in the file names")]
    frame: Annotated[int, Field(ge=0, description="number of time steps since the start")]
    files: Annotated[dict[str, str], Field(description="path of each pass, relative to the data set")]
    seed: Annotated[int, Field(ge=0)]
    split: Annotated[Literal["train", "val", "test"] | None, Field(description="null = the data set has no splits")]
    drawn: Annotated[dict[str, Any], Field(description="random value of each scene key in `[vary]`")]
    time: Annotated[float, Field(description="time in the world [s]")]
    width: Annotated[int, Field(ge=1, description="[pixel]")]
    height: Annotated[int, Field(ge=1, description="[pixel]")]
    view: Annotated[PinholeView | FisheyeView | EquirectangularView | OrthographicView, Field(discriminator="model")]
    sensor: Annotated[dict[str, float | None] | None, Field(description="settings of `sensor`; null = no sensor")]
    lidar: Annotated[LidarView | None, Field(description="null = the data set has no pass `lidar`")] = None
    flow_since: Annotated[float | None, Field(description="start of the time interval of the optical flow [s]")]
    skeletons: Annotated[dict[str, SkeletonNames], Field(description="joints by crowd")]
    actors: list[Actor]


def json_schema() -> dict[str, Any]:
    """Return the schema of a line in labels.jsonl as JSON Schema."""
    found = Label.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A line of labels.jsonl", **found}
