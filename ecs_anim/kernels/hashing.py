"""Numbers that look drawn, and depend on nothing but what they are hashed of: any thread comes to the same.

Products are of 32 bits by 32, cut to 32, so that they are the same where kernels run uncompiled (Wellons 2018).
"""

from ecs_anim.kernels import helper

MASK = 0xFFFFFFFF


@helper
def _mixed(number):
    number = (number ^ (number >> 16)) & MASK
    number = (number * 0x7FEB352D) & MASK
    number ^= number >> 15
    number = (number * 0x846CA68B) & MASK
    return number ^ (number >> 16)


@helper
def hashed(seed, agent, turn):
    """A whole number of 32 bits, of three others >= 0."""
    return _mixed(_mixed(_mixed(int(seed) & MASK) ^ (int(agent) & MASK)) ^ (int(turn) & MASK))
