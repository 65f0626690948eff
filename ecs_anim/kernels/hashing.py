"""Random numbers by hashing (Wellons 2018), truncated to 32 bits: equal with and without compilation."""

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
    """Return a random 32-bit integer that depends only on the three arguments, which are integers >= 0."""
    return _mixed(_mixed(_mixed(int(seed) & MASK) ^ (int(agent) & MASK)) ^ (int(turn) & MASK))
