// Ground with a grid of 1 m and stronger 10 m lines, filtered analytically: no moire and no shimmer.
#include "light.glsl"

in vec3 world_position;
flat in vec3 tile_light;
flat in vec3 line_light;

out vec4 color;

// Share of the pixel under lines of `width` round each whole number of `p`; `footprint` is the pixel's
// size in the same unit. The integral of the line pattern over the footprint is exact (a box filter);
// where the footprint nears a period, only the pattern's mean is left.
vec2 line_coverage(vec2 p, vec2 footprint, float width) {
    vec2 high = p + 0.5 * (footprint + width);
    vec2 low = high - footprint;
    vec2 inside = floor(high) + min(fract(high) / width, 1.0) - floor(low) - min(fract(low) / width, 1.0);
    return mix(inside * width / footprint, vec2(width), smoothstep(0.35, 1.0, footprint));
}

float grid(vec2 p, vec2 footprint, float width) {
    vec2 lines = line_coverage(p, footprint, width);
    return lines.x + lines.y - lines.x * lines.y;
}

void main() {
    vec2 p = world_position.xz;
    vec2 footprint = max(fwidth(p), 1e-5);
    float metres = grid(p, footprint, 0.02);
    float tens = grid(0.1 * p, 0.1 * footprint, 0.005);
    vec3 lit = mix(tile_light, line_light, max(0.55 * metres, tens));
    color = vec4(tone_map(mix(lit, frame.horizon_color.rgb, fog_amount(world_position))), 1.0);
}
