// The depth is all there is to write; holes in a cut-out surface let the sun through.
#ifdef CUTOUT
in vec2 surface_uv;
uniform sampler2D base_texture;
uniform float base_alpha;
uniform float alpha_cutoff;
#endif

void main() {
#ifdef CUTOUT
    if (base_alpha * texture(base_texture, surface_uv).a < alpha_cutoff) discard;
#endif
}
