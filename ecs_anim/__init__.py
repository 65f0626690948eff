"""ecs-anim: simulate, draw and measure large crowds of animated characters.

    import ecs_anim as ea

    rig = ea.load_rig("character.glb")
    pose = rig.clips["walk"].sample(0.4)
    palette = ea.skin_palette(rig.skeleton, pose)

    world = ea.load_scene("plaza")
    world.step(1 / 60)
    ea.crowd(world, "people").fade_to([0, 1, 2], "run", 0.3)
    picture = ea.render(world, (640, 360))

The names in `__all__` of this package and of `ea.bake`, `ea.components`, `ea.farm`, `ea.ik`, `ea.jupedsim` and
`ea.systems` are public. Names that are not in one of these `__all__` lists can change without notice. Python imports a
name at its first use, so `import ecs_anim` takes almost no time.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
