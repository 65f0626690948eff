"""The scene that `ecs-anim new` writes. The scene has one walking crowd. Comments in the scene show other features."""

STARTER = """\
# What begins with # and no space is switched off: take the # away. Each line works by itself, and all of them together;
# a table in [[ ]] goes with the lines below it.

title = "My crowd"
seed = 1                          # another seed: other places, times and colours

#ground = { kind = "heights", size = [60.0, 60.0], function = "0.6 * sin(x / 6) * cos(y / 7)" }   # [m]
#light = { shadows = "map", sun_elevation_degrees = 35.0 }

[rigs.people]
model = "mannequin"               # or a file, from this file's folder: "characters/someone.glb"
height = 1.75                     # [m]

[camera]
target = [0.0, 0.9, 0.0]          # x, y, z [m]; y is up
distance = 16.0                   # [m]
azimuth_degrees = 150.0
elevation_degrees = 15.0

[[crowds]]
name = "people"
rig = "people"                    # from [rigs.people]
count = 60
layout = { kind = "scatter", radius = 8.0, min_distance = 0.8 }   # also: grid, disc, points, blocks
heading_degrees = "random"        # or a number: 0 is east, 90 is north
tints = ["#c8553d", "#3d6fa5", "#5c946e"]
locomotion = { area_radius = 8.0 }   # they go as fast as their clips, and turn back at the edge
clips = [                         # `ecs-anim inspect mannequin` lists them all
    { name = "walk", weight = 5, speed = [0.9, 1.1] },
    #{ name = "run", weight = 1 },
    { name = "idle", weight = 1 },
]
#scale_range = [0.94, 1.06]       # sizes differ
#grounding = {}                   # feet stand on uneven ground, and do not slide
#layers = [{ clip = "lean_left", weight = 0.5 }]   # on top of whatever plays
#targets = { viewer = { kind = "camera" } }        # what they can look at or reach for
#path = "auto"                    # for tens of thousands: the GPU poses those that are far away

#[[crowds]]                       # a crowd that walks over to the other side and back, clear of each other
#name = "walkers"
#rig = "people"
#count = 20
#layout = { kind = "grid", spacing = 1.0, center = [-14.0, 0.0] }
#body = {}                        # steps by how fast they go, wherever that is
#steering = { goals = [{ at = [14.0, 0.0] }, { at = [-14.0, 0.0] }], desired_speed_m_s = [1.1, 1.5] }   # walls: [walls]

#[[crowds]]                       # another one, whose people stand in rows and wave
#name = "guests"
#rig = "people"
#count = 12
#layout = { kind = "grid", spacing = 1.2, center = [0.0, 12.0] }
#clips = [{ name = "wave" }]

#[[timeline]]                     # every four seconds, half of the people stop
#at_seconds = 2.0                         # [s]
#every_seconds = 4.0
#crowd = "people"
#share = 0.5
#fade_to = "idle"
#fade_seconds = 0.4

#[[timeline]]                     # and all walk on
#at_seconds = 4.0
#every_seconds = 4.0
#crowd = "people"
#fade_to = "walk"
#fade_seconds = 0.4
"""
