class DualRows {}
