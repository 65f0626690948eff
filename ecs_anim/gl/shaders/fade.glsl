// Actors that come or go, and blended surfaces: some of the samples show them, and the others show what lies behind.
// Samples are left out evenly over four by four pixels, of which none has more than one sample less than another. To be
// included before all that is no directive.
#ifdef FADING
#include "sample_mask.glsl"

flat in ivec2 fading;  // x what is missing of the actor, in 255ths; y the actor
const int ALL = 255 * 32;

// When a pixel has its turn among four by four, 0 to 15: neighbours as far apart as may be.
int turn() {
    ivec2 at = ivec2(gl_FragCoord.xy), near = at & 1, far = (at >> 1) & 1;
    int coarse = 2 * (near.x ^ near.y) + near.y, fine = 2 * (far.x ^ far.y) + far.y;
    return 4 * coarse + fine;
}

// How many of a pixel's samples show what lies behind, of so much that is missing, in 255ths: in whole numbers, so that
// all processors agree.
int hidden(int samples, int missing) {
    return (32 * samples * missing - 255 * (2 * turn() + 1) + ALL - 1) / ALL;
}

// Show this share of what is left of the actor.
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
