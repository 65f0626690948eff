// Skin palettes in a texture buffer: several texels per entry, and all entries of an actor in sequence.
#include "affine.glsl"
#include "instance.glsl"

uniform samplerBuffer palettes;

// Written by ecs_anim/gl/model/palette_transport.py in the same order. The texels of 16-bit palettes are fractions
// between low and low + span of each row. The texels of 32-bit palettes are the numbers: low is 0, span is 1.
layout(std140) uniform Palettes {
    vec4 low[4];
    vec4 span[4];
    ivec4 entry_count;  // x entries of one actor
} palette_format;

// The skinning method defines ENTRY_ROWS, the texels of an entry: see LAYOUTS in ecs_anim/assets/skinning.py.
int entry_texel(uint entry) {
    return ENTRY_ROWS * (instance_numbers.x * palette_format.entry_count.x + int(entry));
}

vec4 palette_texel(int texel) {
    return texelFetch(palettes, texel);
}

vec4 decoded(vec4 texel, int row) {
    return palette_format.low[row] + palette_format.span[row] * texel;
}

vec4 palette_row(int texel, int row) {
    return decoded(palette_texel(texel + row), row);
}
