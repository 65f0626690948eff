"""Roles of a humanoid's joints, such as hips, head and left hand.

Joint names or the body's shape determine the roles.
"""
