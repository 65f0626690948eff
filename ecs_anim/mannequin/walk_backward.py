"""Walking backward at 0.9 m/s.

Backward walking is similar to forward walking in reverse: the toes land first, and the heel leaves last. The source is
Winter, Pluck and Yang, "Backward walking: a simple reversal of forward walking?", Journal of Motor Behavior 21 (1989),
291-305. The keys of this clip are the keys of the walk in reverse order. Some of the reversed keys are changed, because
backward steps are shorter and wider, and the arms swing less. These changes do not come from measurements.
"""

from ecs_anim.mannequin.gait import Gait

WALK_BACKWARD = Gait(
    speed=-0.9,
    key_count=120,
    stance=0.625,
    thigh=[
        (0.00, -6), (0.15, 0), (0.35, 8), (0.50, 14), (0.625, 19), (0.69, 25), (0.76, 27), (0.84, 18), (0.90, 5),
        (0.95, -4),
    ],
    knee=[
        (0.00, 28), (0.10, 20), (0.30, 12), (0.50, 10), (0.60, 14), (0.625, 17), (0.69, 38), (0.76, 53), (0.83, 57),
        (0.90, 50), (0.96, 37),
    ],
    foot_pitch=[
        (0.00, -26), (0.05, -18), (0.12, -8), (0.20, 0), (0.46, 0), (0.55, 3), (0.625, 10), (0.68, 8), (0.75, -8),
        (0.83, -26), (0.91, -34), (0.96, -31),
    ],
    toe_relaxed=0.70,
    toe_braced=0.80,
    first_contact=-0.325,
    step_width=0.14,
    toe_out=7.0,
    splay=5.0,
    hips_height=0.953,
    bob=(0.009, 0.30),
    sway=0.022,
    surge=(-0.006, 0.55),
    lean=(4.5, 4.0),
    pelvis_yaw=-3.0,
    pelvis_list=(2.5, 0.15),
    shoulder_yaw=-2.0,
    arm_swing=(-2.0, -9.0),
    elbow=(28.0, -5.0),
    abduction=10.0,
    inward=18.0,
)  # fmt: skip
