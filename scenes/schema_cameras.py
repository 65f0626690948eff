"""Schema of the additional cameras of a scene, the [[cameras]] tables."""

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ecs_anim.scenes.schema_base import BRIEFEST, Finite, NotNegative, Place3, Point3, Positive, Table
from ecs_anim.scenes.schema_rules import at_most_one, exactly_one, needs, rule
from ecs_anim.view.follow import DISTANCE, SMOOTH_SECONDS, TURN_SECONDS, AzimuthFrom

Row4 = tuple[Finite, Finite, Finite, Finite]
Pixels = Annotated[int, Field(ge=1, le=1 << 16)]
Degrees = Annotated[float, Field(ge=0.1, le=220)]
MOST_FLAT = 170.0  # [degrees], largest field of view of a pinhole lens

FOCAL = ("pinhole", "fisheye")  # lenses with a focal length
KEYS_OF_LENSES = {
    **dict.fromkeys(("vertical_fov_degrees", "horizontal_fov_degrees", "fx", "fy", "cx", "cy", "distortion"), FOCAL),
    **dict.fromkeys(("distortion.p1", "distortion.p2"), ("pinhole",)),
    "view_width": ("orthographic",),
    **dict.fromkeys(("image_circle_degrees", "distortion.k4"), ("fisheye",)),
}
POSITIONS = ("eye", "matrix", "orbit", "path", "mount", "follow")


class OrbitTable(Table):
    """The position of an orbit camera. The table has the same keys as [camera]."""

    target: Place3 = Field((0.0, 0.9, 0.0), description="x, y, z of the point in the middle of the picture [m]")
    distance: Positive = Field(8.0, description="distance from the target [m]")
    azimuth_degrees: Finite = Field(
        150.0, description="compass bearing from the target to the camera: 90 is east, 180 is south"
    )
    elevation_degrees: Annotated[float, Field(ge=-89, le=89)] = 15.0


class PathPoint(Table):
    """The position of a camera at a given time."""

    at_seconds: NotNegative = Field(description="time of the world [s]")
    eye: Place3 = Field(description="x, y, z of the camera position [m]")
    look_at: Place3 = Field(description="x, y, z of the point that the camera looks at [m]")
    up: Point3 = Field((0.0, 1.0, 0.0), description="direction in space that points up in the picture")


class CarrierTable(Table):
    """The actor to which a camera belongs."""

    crowd: str = Field(description="name of a crowd")
    actor: Annotated[int, Field(ge=0)] = Field(
        0, description="number of the actor in the crowd at the start. The first actor has the number 0"
    )


class FollowTable(CarrierTable):
    """A camera that follows an actor and keeps the actor near the middle of the picture."""

    distance: Positive = Field(DISTANCE, description="distance from the actor [m]")
    azimuth_degrees: Finite | None = Field(
        None,
        description="direction from the actor to the camera. With azimuth_from = 'north': a compass bearing, 90 is"
        " east, and the default is the azimuth of [camera]. With azimuth_from = 'heading': 0 is ahead of the actor, 90"
        " is on the right, 180 is behind, and the default is 180",
    )
    elevation_degrees: Annotated[float, Field(ge=-89, le=89)] | None = Field(
        None, description="elevation of the camera above the actor. Default: the elevation of [camera]"
    )
    azimuth_from: AzimuthFrom = Field(
        "north",
        description="meaning of azimuth_degrees. 'north': the camera keeps its compass bearing. 'heading': the camera"
        " turns with the actor",
    )
    smooth_seconds: NotNegative = Field(
        SMOOTH_SECONDS, description="time constant with which the camera follows the position of the actor [s]"
    )
    turn_seconds: NotNegative = Field(
        TURN_SECONDS, description="time constant with which the camera follows the heading of the actor [s]"
    )


class MountTable(CarrierTable):
    """A camera that an actor carries.

    If all angles are 0, the camera looks in the facing direction of the rest pose.
    """

    joint: str | None = Field(None, description="joint of the rig, such as 'Head'. Default: the whole actor")
    position: Point3 = Field(
        (0.0, 0.0, 0.0),
        description="position x, y, z [m] relative to the joint, or without a joint to the point between the feet. In"
        " the rest pose, +Z is forward, +X is the actor's left, and +Y is up. The program scales this position with"
        " the actor",
    )
    yaw_degrees: Finite = Field(0.0, description="rotation of the camera to the actor's left")
    pitch_degrees: Finite = Field(0.0, description="rotation of the camera upwards")
    roll_degrees: Finite = Field(0.0, description="clockwise rotation of the camera, when seen through the camera")


class DistortionTable(Table):
    """Distortion coefficients of a lens, as in OpenCV.

    Pinhole lenses have the Brown-Conrady coefficients k1, k2, p1, p2 and k3. Fisheye lenses have the Kannala-Brandt
    coefficients k1, k2, k3 and k4, whose powers are powers of the angle to the optical axis.
    """

    k1: Finite = Field(0.0, description="radial distortion: coefficient of the squared distance from the optical axis")
    k2: Finite = Field(
        0.0, description="radial distortion: coefficient of the 4th power of the distance from the optical axis"
    )
    p1: Finite = Field(0.0, description="tangential distortion, downwards")
    p2: Finite = Field(0.0, description="tangential distortion, to the right")
    k3: Finite = Field(
        0.0, description="radial distortion: coefficient of the 6th power of the distance from the optical axis"
    )
    k4: Finite = Field(0.0, description="fisheye lenses: coefficient of the 8th power of the angle")


class SensorTable(Table):
    """Effects of the sensor on the colours of captures and data sets, see docs/cameras.md."""

    exposure_ev: Annotated[float, Field(ge=-16, le=16)] = Field(
        0.0, description="exposure [EV]: 1 is twice as bright, -1 is half as bright"
    )
    white_balance_kelvin: Annotated[float, Field(ge=1700, le=25000)] = Field(
        6504.0, description="colour temperature of the light that the picture shows as white [K]. Lower is bluer"
    )
    vignetting: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="share of the light that is lost in the corners of the picture"
    )
    full_well_electrons: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        None, description="electrons of a white pixel, which set the shot noise. Default: no noise"
    )
    read_noise_electrons: Annotated[float, Field(ge=0, le=1e6)] = Field(
        0.0, description="standard deviation of the read noise. This key needs full_well_electrons"
    )
    shutter_seconds: Annotated[float, Field(ge=0, le=1)] = Field(0.0, description="exposure time [s], for motion blur")
    rolling_shutter_seconds: Annotated[float, Field(ge=0, le=0.1)] = Field(
        0.0, description="time from the exposure of the first row to the exposure of the last row [s]"
    )
    jpeg_quality: Annotated[int, Field(ge=1, le=100)] | None = Field(
        None, description="quality of a JPEG compression before the picture is saved. Default: no compression"
    )

    _noise_is_complete = rule(
        "read_noise_electrons needs full_well_electrons",
        lambda own: own.read_noise_electrons == 0 or own.full_well_electrons is not None,
    )


class StereoTable(Table):
    """Two cameras side by side. Their axes and their lenses are equal, so their pictures are rectified."""

    baseline: Positive = Field(description="distance between the two cameras [m]")


class SceneCameraModel(Table):
    """A named camera, see docs/cameras.md.

    Exactly one of eye, matrix, orbit, path, mount and follow sets the camera position.
    """

    name: Annotated[str, Field(min_length=1)]
    size: tuple[Pixels, Pixels] = Field((1280, 720), description="width and height of the pictures [pixels]")
    eye: Place3 | None = Field(None, description="x, y, z of the camera position [m]. This key needs the key look_at")
    look_at: Place3 | None = Field(None, description="x, y, z of the point that the camera looks at [m]")
    up: Point3 | None = Field(
        None,
        description="direction in space that points up in the picture. This key needs the key eye. Default: [0, 1, 0]",
    )
    matrix: tuple[Row4, Row4, Row4] | None = Field(
        None,
        description="matrix from world space to camera space: three rows of four numbers, with a rotation and a"
        " translation [m]",
    )
    axes: Literal["opengl", "opencv"] | None = Field(
        None,
        description="camera axes of the matrix. 'opengl' (default): the camera looks along -Z, and +Y is up. 'opencv':"
        " the camera looks along +Z, and +Y is down",
    )
    orbit: OrbitTable | None = Field(None, description="position on a circle around a point")
    path: Annotated[list[PathPoint], Field(min_length=2)] | None = Field(
        None,
        description="smooth path through points at given times. Before the path, the camera is at the first point."
        " After the path, the camera is at the last point",
    )
    mount: MountTable | None = Field(None, description="position on an actor, or on a joint of an actor")
    follow: FollowTable | None = Field(None, description="position relative to an actor that the camera follows")
    lens: Literal["pinhole", "fisheye", "equirectangular", "orthographic"] = Field(
        "pinhole",
        description="model of the lens. 'fisheye': Kannala-Brandt, up to 220 degrees. 'equirectangular': a panorama of"
        " 360 x 180 degrees. 'orthographic': parallel view rays, for plans",
    )
    view_width: Positive | None = Field(None, description="orthographic lenses: width of the view [m]")
    vertical_fov_degrees: Degrees | None = Field(
        None, description="vertical field of view. Default: 40 for pinhole lenses without fx"
    )
    horizontal_fov_degrees: Degrees | None = Field(
        None,
        description="horizontal field of view, in place of the vertical field of view. Default: 180 for fisheye lenses"
        " without fx",
    )
    image_circle_degrees: Degrees | None = Field(
        None, description="fisheye lenses: field of view of the image circle. Pixels outside are black. Default: 220"
    )
    fx: Positive | None = Field(None, description="horizontal focal length [pixels], in place of a field of view")
    fy: Positive | None = Field(None, description="vertical focal length [pixels]. Default: fx")
    cx: Finite | None = Field(
        None,
        description="distance of the optical axis from the left edge of the picture [pixels]. The middle of the first"
        " pixel is at 0.5. Default: the middle of the picture",
    )
    cy: Finite | None = Field(
        None,
        description="distance of the optical axis from the upper edge of the picture [pixels]. Default: the middle of"
        " the picture",
    )
    distortion: DistortionTable = DistortionTable()
    stereo: StereoTable | None = Field(
        None, description="two cameras NAME_left and NAME_right, in place of one camera in the middle between them"
    )
    near: Positive = Field(0.1, description="smallest visible distance along the optical axis [m]")
    far: Positive = Field(1000.0, description="largest visible distance along the optical axis [m]")
    sensor: SensorTable | None = Field(None, description="effects of the sensor on colours")

    _one_position = exactly_one(
        "write exactly one of the keys eye (with look_at), matrix, orbit, path, mount and follow", *POSITIONS
    )
    _eye_looks = needs("the keys eye and look_at must be given together", "eye", "look_at")
    _looks_from_eye = needs("the keys eye and look_at must be given together", "look_at", "eye")
    _up_of_eye = needs("up needs the key eye. Each point of a path has its own key up", "up", "eye")
    _axes_of_matrix = needs("axes needs matrix", "axes", "matrix")
    _one_field_of_view = at_most_one(
        "write at most one of the keys vertical_fov_degrees, horizontal_fov_degrees and fx",
        *("vertical_fov_degrees", "horizontal_fov_degrees", "fx"),
    )
    _fy_beside_fx = needs("fy needs fx", "fy", "fx")
    _flat_is_narrow = rule(
        f"the field of view of a pinhole lens must be at most {MOST_FLAT:g} degrees. Use lens = 'fisheye'",
        lambda own: own.lens != "pinhole" or max(own.vertical_fov_degrees or 0, own.horizontal_fov_degrees or 0) <= 170,
    )
    _width_is_given = rule(
        "orthographic lenses need view_width, the width of the view in metres",
        lambda own: own.lens != "orthographic" or own.view_width is not None,
    )
    _far_is_beyond_near = rule("near must be less than far", lambda camera: camera.near < camera.far)

    @property
    def eyes(self) -> dict[str, float]:
        """Return the name of each camera, and how far [m] it is to the right of the position in the scene file."""
        if self.stereo is None:
            return {self.name: 0.0}
        half = self.stereo.baseline / 2
        return {f"{self.name}_left": -half, f"{self.name}_right": half}

    @model_validator(mode="after")
    def _keys_fit_the_lens(self) -> "SceneCameraModel":
        given = self.model_fields_set | {f"distortion.{name}" for name in self.distortion.model_fields_set}
        for key, lenses in KEYS_OF_LENSES.items():
            if key in given and self.lens not in lenses:
                raise ValueError(f"{key} is not a key of {self.lens} lenses. Remove the key, or choose another lens.")
        return self

    @model_validator(mode="after")
    def _times_rise(self) -> "SceneCameraModel":
        times = [point.at_seconds for point in self.path or ()]
        if any(after - before < BRIEFEST for before, after in pairwise(times)):
            raise ValueError(
                f"path: the time of each point must be at least {BRIEFEST:g} s after the time of the point before"
                " it. Correct at_seconds."
            )
        return self
