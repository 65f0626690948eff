// The depth is all there is to write; holes in a cut-out surface let the sun through.
#include "fade.glsl"
#include "front.glsl"
#include "base_color.glsl"

#ifdef CUTOUT
uniform float alpha_cutoff;
#endif

void main() {
    cull();
    fade();
#ifdef CUTOUT
    if (base_surface().a < alpha_cutoff) discard;
#endif
}
