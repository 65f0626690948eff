"""Readers and writers of trajectory files, and the computation of body positions from recorded head positions."""

from ecs_anim.trajectories.file_report import Report, report
from ecs_anim.trajectories.geometry_xml import read_walls
from ecs_anim.trajectories.heads import RootOptions, roots
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.reader import Recording, load, recording
from ecs_anim.trajectories.record import Trajectories
from ecs_anim.trajectories.root_report import RootReport, root_report
from ecs_anim.trajectories.roots import Roots

__all__ = [
    "ReadOptions",
    "Recording",
    "Report",
    "RootOptions",
    "RootReport",
    "Roots",
    "Trajectories",
    "load",
    "read_walls",
    "recording",
    "report",
    "root_report",
    "roots",
]
