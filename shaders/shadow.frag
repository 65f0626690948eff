// The depth is all there is to write; holes in a cut-out surface let the sun through.
#include "base_texture.glsl"

#ifdef CUTOUT
uniform float base_alpha;
uniform float alpha_cutoff;
#endif

void main() {
#ifdef CUTOUT
    if (base_alpha * base_texel().a < alpha_cutoff) discard;
#endif
}
