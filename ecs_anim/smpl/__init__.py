"""Reading of SMPL, SMPL-H and SMPL-X poses without the data of these body models."""
