"""Pictures that stand in for far characters."""
