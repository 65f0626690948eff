"""The scene of an environment, with a robot."""

from dataclasses import replace

from ecs_anim.gymnasium.settings import Settings
from ecs_anim.scenes.loader import SceneFile, scene_of
from ecs_anim.scenes.schema import SceneModel
from ecs_anim.scenes.schema_agents import AgentModel
from ecs_anim.scenes.schema_cameras import MountTable, SceneCameraModel
from ecs_anim.scenes.schema_layout import PointsLayout

ROBOT = "robot"
CAMERA = "robot's camera"
EYE = 0.9  # height of the camera as a share of the robot's height
AHEAD = 0.02  # [m], distance of the camera from the front of the robot
NEAR = 0.02  # [m], smallest distance that the camera sees
FIELD = 70.0  # [degrees], vertical field of view of the camera
# A square hall in which twenty people walk from corner to corner.
HALL = """
title = "Crowd-v0"
[rigs.people]
model = "mannequin"
[camera]
target = [0.0, 0.0, 0.0]
distance = 22.0
azimuth_degrees = 180.0
elevation_degrees = 60.0
[walls]
wkt = "POLYGON ((-7 -7, 7 -7, 7 7, -7 7, -7 -7))"
height = 0.5
[[crowds]]
name = "people"
rig = "people"
path = "baked"
count = 20
layout = { kind = "scatter", radius = 6.0, min_distance = 0.8 }
heading_degrees = "random"
steering = { goal = [[5, 5], [-5, -5], [5, -5], [-5, 5]], goal_radius = 2.0, desired_speed_m_s = [0.8, 1.5] }
"""


def scene_with_robot(settings: Settings) -> SceneFile:
    """Return the scene of an environment with a robot, and with a camera on the robot if it is observed.

    The robot is the first table `agents` of the scene. Without such a table, the robot is a disc with a radius of 0.3
    m. Raises InputError if the scene is invalid, or if its first table `agents` has several agents.
    """
    scene = scene_of(HALL if settings.scene is None else settings.scene)
    model = scene.model
    agents = model.agents or [AgentModel(name=ROBOT, position=_walkable(model))]
    if len(agents[0].places) != 1:
        raise scene.key("agents[0]").fault(
            f"the robot of an environment must be one agent (got {len(agents[0].places)}). Write position."
        )
    # `Navigation` sets the key later, because people must not make room for a robot that gets another start
    agents = [agents[0].model_copy(update={"avoided": False}), *agents[1:]]
    cameras = list(model.cameras)
    if "camera" in settings.observations:
        width, height = settings.camera_size
        ahead = sum(agents[0].footprint.size[::2]) + AHEAD
        mount = MountTable(crowd=agents[0].name, position=(0.0, EYE * agents[0].height, ahead))
        cameras.append(
            SceneCameraModel(name=CAMERA, size=(width, height), mount=mount, vertical_fov_degrees=FIELD, near=NEAR)
        )
    return replace(scene, model=model.model_copy(update={"agents": agents, "cameras": cameras}))


def _walkable(model: SceneModel) -> tuple[float, float]:
    """Return a plan point where people start, because walls are not known before the scene is loaded."""
    layouts = [crowd.layout for crowd in model.crowds]
    points = [layout.points[0] for layout in layouts if isinstance(layout, PointsLayout)]
    return points[0] if points else next((getattr(own, "center", (0.0, 0.0)) for own in layouts), (0.0, 0.0))
