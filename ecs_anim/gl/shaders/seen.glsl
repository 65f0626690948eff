// How much of a surface is seen: its front, without the holes of a mask, in a share of the samples where it is blended
// or its actor fades. SOLID: labels count a blended surface whole, where its alpha is half of the material's or more.
// To be included before all that is no directive.
#include "fade.glsl"
#include "front.glsl"
#include "base_color.glsl"

#ifdef CUTOUT
uniform float alpha_cutoff;
#endif

// The colour of what is seen; fragments of what is not are discarded.
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
