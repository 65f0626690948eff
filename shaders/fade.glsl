// Actors who come or go: of each four by four pixels some show them, evenly spread, and the others what lies behind.
#ifdef FADING
flat in int missing;  // of its actor's pixels, in 255ths

void fade() {
    ivec2 at = ivec2(gl_FragCoord.xy), near = at & 1, far = (at >> 1) & 1;
    int coarse = 2 * (near.x ^ near.y) + near.y, fine = 2 * (far.x ^ far.y) + far.y;
    if (255 * (2 * (4 * coarse + fine) + 1) < 32 * missing) discard;
}
#else
void fade() {}
#endif
