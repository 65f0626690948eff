"""Inverse kinematics: chains, limits of joints, and the readable forms of the solvers that crowds run as kernels."""
