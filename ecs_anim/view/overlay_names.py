"""The names of overlays, which show skeletons, paths, goals and densities over a picture."""

from typing import Literal, get_args

OverlayName = Literal["skeletons", "trails", "goals", "density"]
OVERLAYS: tuple[OverlayName, ...] = get_args(OverlayName)
FloorKind = Literal["density", "levels"]  # maps on the floor: the mean density, or the levels of service
FLOORS: tuple[FloorKind, ...] = get_args(FloorKind)
