"""Trajectories that people recorded or simulated: files of any usual format, and roots for bodies from heads."""

from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.reader import Recording, load, recording
from ecs_anim.trajectories.record import Trajectories

__all__ = ["ReadOptions", "Recording", "Trajectories", "load", "recording"]
