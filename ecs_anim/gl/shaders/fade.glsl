// Fading of actors and blended surfaces. Some samples show the actor or the surface, and the other samples show the
// background. The background samples are evenly distributed over four by four pixels. The sample counts of two pixels
// differ by at most one. Include this file before any code other than directives.
#ifdef FADING
#include "sample_mask.glsl"

flat in ivec2 fading;  // x omitted fraction of the actor, in 1/255; y number of the actor
const int ALL = 255 * 32;

// Return the order of a pixel among four by four pixels, 0 to 15. Pixels with successive numbers are far apart.
int turn() {
    ivec2 at = ivec2(gl_FragCoord.xy), near = at & 1, far = (at >> 1) & 1;
    int coarse = 2 * (near.x ^ near.y) + near.y, fine = 2 * (far.x ^ far.y) + far.y;
    return 4 * coarse + fine;
}

// Return the number of a pixel's samples that show the background, for an omitted fraction in 1/255. The function
// computes with integers, so that all processors give equal results.
int hidden(int samples, int missing) {
    return (32 * samples * missing - 255 * (2 * turn() + 1) + ALL - 1) / ALL;
}

// Show this fraction of the remaining samples of the actor.
void fade(float share) {
    int missing = 255 - int(clamp(share, 0.0, 1.0) * float(255 - fading.x) + 0.5);
#ifdef GL_ARB_sample_shading
    int left = gl_NumSamples - hidden(gl_NumSamples, missing);
    if (left == 0) discard;
    cover(left, fading.y);
#else
    if (hidden(1, missing) == 1) discard;
#endif
}
#else
void fade(float share) {}
#endif
