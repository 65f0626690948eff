"""Walking at 1.4 m/s.

The angles of thigh, knee and foot follow the curves for natural cadence in two books by Winter. The first book is
"Biomechanics and Motor Control of Human Movement" (4th edition, 2009, appendix A). The second book is "The Biomechanics
and Motor Control of Human Gait" (2nd edition, 1991). Five other values follow Perry, "Gait Analysis - Normal and
Pathological Function" (1992), and Whittle, "Gait Analysis - An Introduction" (4th edition, 2007). The first three
values are the rolling of the foot over heel, ankle and ball, the yaw of the pelvis (4 to 5 degrees to each side), and
the sideways tilt of the pelvis (4 degrees, low on the swinging side). The other two values are the path of the trunk,
and the swing of the arms (24 degrees back, 8 degrees forward). The keys are approximations of the published curves, and
not exact copies of the figures. Some keys differ from the sources, so that the mannequin's legs reach the ground. For
example, the knee angle at heel strike is 12 degrees instead of 5 degrees.
"""

from ecs_anim.mannequin.gait import Gait

WALK = Gait(
    speed=1.4,
    key_count=120,
    stance=0.61,
    thigh=[
        (0.00, 23.5), (0.10, 17.5), (0.20, 11), (0.30, 2), (0.40, -7), (0.50, -14), (0.54, -15), (0.60, -10), (0.70, 8),
        (0.80, 22), (0.86, 25), (0.91, 26), (0.96, 26),
    ],
    knee=[
        (0.00, 12.5), (0.13, 18), (0.20, 16), (0.30, 9), (0.39, 5), (0.46, 8), (0.50, 13), (0.55, 24), (0.60, 40),
        (0.66, 59), (0.71, 64), (0.76, 60), (0.82, 47), (0.89, 24), (0.95, 14.5),
    ],
    foot_pitch=[
        (0.00, 19), (0.03, 14.5), (0.06, 6), (0.095, 0), (0.28, 0), (0.36, -3.5), (0.42, -9), (0.50, -23),
        (0.56, -40), (0.61, -59), (0.65, -65), (0.69, -57), (0.77, -26), (0.84, -3), (0.90, 12), (0.96, 19.5),
    ],
    toe_relaxed=0.76,
    first_contact=0.310,
    step_width=0.11,
    toe_out=6.0,
    splay=4.0,
    hips_height=0.951,
    bob=(0.013, 0.28),
    sway=0.020,
    surge=(0.008, 0.55),
    lean=(2.0, 1.0),
    pelvis_yaw=4.5,
    pelvis_list=(3.5, 0.13),
    shoulder_yaw=4.0,
    arm_swing=(-5.0, 18.0),
    elbow=(24.0, 9.0),
    abduction=8.0,
    inward=18.0,
)  # fmt: skip
