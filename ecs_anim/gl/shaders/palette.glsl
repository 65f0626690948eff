// Skin palettes in a texture buffer: a few texels an entry, all entries of an actor in a row.
#include "affine.glsl"
#include "instance.glsl"

uniform samplerBuffer palettes;

// Written by ecs_anim/gl/model/palette_transport.py, same order. Texels of 16-bit palettes say where, from low to
// low + span, the numbers of an entry's row lie; those of 32-bit ones are the numbers: low is 0, span is 1.
layout(std140) uniform Palettes {
    vec4 low[4];
    vec4 span[4];
    ivec4 entry_count;  // x of one actor
} palette_format;

// ENTRY_ROWS, texels of an entry, is the method's own: see LAYOUTS in ecs_anim/assets/skinning.py.
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
