// A grid with 1 m lines and stronger 10 m lines. The analytic filter prevents moire and shimmer.

// Return the fraction of the pixel that lines cover. Lines have the widths `width` and lie at the integers of `p`.
// `footprint` is the size of the pixel in the unit of `p`. The integral of the line pattern over the footprint is exact
// (a box filter). If the footprint is near a period, the result is the mean of the pattern.
vec2 line_coverage(vec2 p, vec2 footprint, vec2 width) {
    vec2 high = p + 0.5 * (footprint + width);
    vec2 low = high - footprint;
    vec2 inside = floor(high) + min(fract(high) / width, 1.0) - floor(low) - min(fract(low) / width, 1.0);
    return mix(inside * width / footprint, width, smoothstep(0.35, 1.0, footprint));
}

float either(vec2 lines) {
    return lines.x + lines.y - lines.x * lines.y;
}

// Return the fraction of the pixel at `p` [m] that lines cover, 0 to 1. `kept` is the strength of the lines x = n and z
// = n.
float grid(vec2 p, vec2 kept) {
    vec2 footprint = max(fwidth(p), 1e-5);
    float metres = either(kept * line_coverage(p, footprint, vec2(0.02)));
    float tens = either(kept * line_coverage(0.1 * p, 0.1 * footprint, vec2(0.005)));
    return max(0.55 * metres, tens);
}
