"""Running at 3.5 m/s, with a flight phase after each footstep.

The angles of thigh and knee, the share of stance (about 36 %), and the lean of the trunk follow Novacheck, "The
biomechanics of running", Gait and Posture 7 (1998), 77-95. The angles of knee and ankle also follow Winter, "Moments of
force and mechanical power in jogging", Journal of Biomechanics 16 (1983). The thigh angle is measured from the
vertical. The thigh angle equals Novacheck's hip angle minus the forward tilt of the pelvis. The keys are approximations
of the published curves, and not exact copies of the figures. The hips move up and down with an amplitude of about g /
(4 pi / cycle) ** 2 = 3 cm. With this amplitude, the downward acceleration of the hips at their highest point is g, as
in free fall.
"""

from ecs_anim.mannequin.gait import Gait

# fmt: off
RUN = Gait(
    speed=3.5,
    key_count=84,
    stance=0.36,
    thigh=[
        (0.00, 27), (0.06, 25), (0.14, 15), (0.22, 0), (0.30, -15), (0.36, -22), (0.42, -23), (0.50, -12), (0.58, 8),
        (0.66, 27), (0.74, 40), (0.80, 43), (0.87, 39), (0.94, 32),
    ],
    knee=[
        (0.00, 21), (0.06, 33), (0.14, 43), (0.20, 41), (0.28, 29), (0.35, 22), (0.40, 28), (0.48, 62), (0.56, 91),
        (0.62, 100), (0.68, 97), (0.76, 78), (0.86, 40), (0.94, 22),
    ],
    foot_pitch=[
        (0.00, 9), (0.03, 5), (0.07, 0), (0.16, 0), (0.24, -14), (0.30, -34), (0.36, -58), (0.42, -78), (0.50, -92),
        (0.56, -94), (0.64, -75), (0.72, -40), (0.79, -13), (0.88, 5), (0.95, 10),
    ],
    toe_relaxed=0.50,
    first_contact=0.30,
    step_width=0.07,
    toe_out=5.0,
    splay=3.0,
    hips_height=0.903,
    bob=(0.027, 0.43),
    sway=0.010,
    surge=(0.006, 0.40),
    lean=(7.0, 3.0),
    pelvis_yaw=7.0,
    pelvis_list=(4.0, 0.12),
    shoulder_yaw=9.0,
    arm_swing=(-16.0, 30.0),
    elbow=(100.0, 8.0),
    abduction=12.0,
    inward=14.0,
    inward_swing=11.0,
)
# fmt: on
