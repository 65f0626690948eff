"""Drawing of crowds whose poses the GPU computes."""
