// The visible fragments of a surface: fragments on its front that are not in holes of an alpha mask. Blended surfaces
// and fading actors cover only a fraction of the samples. With the define SOLID (label passes), a blended surface
// counts as opaque if its alpha is at least half of the material's alpha. Include this file before any code other than
// directives.
#include "fade.glsl"
#include "front.glsl"
#include "base_color.glsl"

#ifdef CUTOUT
uniform float alpha_cutoff;
#endif

// Return the colour of a visible fragment. Invisible fragments are discarded.
vec4 seen_surface() {
    vec4 surface = base_surface();
    cull();
#if defined(CUTOUT)
    if (surface.a < alpha_cutoff) discard;
#endif
#if !defined(BLENDED)
    fade(1.0);
#elif defined(SOLID)
    if (surface.a <= 0.0 || surface.a < 0.5 * base_color.a) discard;
    fade(1.0);
#else
    fade(surface.a);
#endif
    return surface;
}
