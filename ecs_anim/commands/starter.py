"""The scene that `ecs-anim new` writes. The scene has one walking crowd. Comments in the scene show other features."""

STARTER = """\
# A line that begins with # and no space is switched off. To switch the line on, remove the #. Each of these lines works
# alone, and all lines work together. Switch on a table in [[ ]] together with the lines below it.

title = "My crowd"
seed = 1                          # another seed gives other positions, times and colours

#ground = { kind = "heights", size = [60.0, 60.0], function = "0.6 * sin(x / 6) * cos(y / 7)" }   # [m]
#light = { shadows = "map", sun_elevation_degrees = 35.0 }

[rigs.people]
model = "mannequin"               # or the path of a model from this folder: "characters/someone.glb"
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
locomotion = { area_radius = 8.0 }   # actors move at the speed of their clips, and turn at the edge
clips = [                         # `ecs-anim inspect mannequin` lists all clips
    { name = "walk", weight = 5, speed = [0.9, 1.1] },
    #{ name = "run", weight = 1 },
    { name = "idle", weight = 1 },
]
#scale_range = [0.94, 1.06]       # range of the actors' sizes
#grounding = {}                   # feet stand on uneven ground without sliding
#layers = [{ clip = "lean_left", weight = 0.5 }]   # added to the playing motion
#targets = { viewer = { kind = "camera" } }        # actors can look at targets or reach for targets
#level = "auto"                   # small actors have fewer triangles, so pictures take about half as long
#path = "auto"                    # for tens of thousands of actors: the GPU computes far poses

#[[crowds]]                       # actors that walk to the other side and back, and avoid each other
#name = "walkers"
#rig = "people"
#count = 20
#layout = { kind = "grid", spacing = 1.0, center = [-14.0, 0.0] }
#body = {}                        # the footsteps follow the speed and the direction of the actor
#steering = { goals = [{ at = [14.0, 0.0] }, { at = [-14.0, 0.0] }], desired_speed_m_s = [1.1, 1.5] }   # walls: [walls]

#[[crowds]]                       # actors that stand in rows and wave
#name = "guests"
#rig = "people"
#count = 12
#layout = { kind = "grid", spacing = 1.2, center = [0.0, 12.0] }
#clips = [{ name = "wave" }]

#[[timeline]]                     # every four seconds, half of the actors stop
#at_seconds = 2.0                         # [s]
#every_seconds = 4.0
#crowd = "people"
#share = 0.5
#fade_to = "idle"
#fade_seconds = 0.4

#[[timeline]]                     # two seconds later, all actors walk
#at_seconds = 4.0
#every_seconds = 4.0
#crowd = "people"
#fade_to = "walk"
#fade_seconds = 0.4
"""
