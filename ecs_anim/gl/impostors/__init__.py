"""Impostors: small pictures that replace the meshes of distant actors."""
