"""The walking body: what its feet and its pace are, whoever decides where it goes."""
