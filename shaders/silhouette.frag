// Which pixels an actor covers, whatever is before them.
#include "fade.glsl"
#include "front.glsl"
#include "base_color.glsl"

#ifdef CUTOUT
uniform float alpha_cutoff;
#endif

layout(location = 0) out uint covered;

void main() {
    cull();
    fade();
#ifdef CUTOUT
    if (base_surface().a < alpha_cutoff) discard;
#endif
    covered = 1u;
}
