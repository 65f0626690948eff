// Skin palettes in a texture buffer. Each palette entry has several texels. All entries of one actor are next to each
// other.
#include "affine.glsl"
#include "instance.glsl"

uniform samplerBuffer palettes;

// ecs_anim/gl/model/palette_transport.py writes these fields in this order. The texels of 16-bit palettes are
// fractions: 0 means `low` of the row, and 1 means `low` + `span` of the row. The texels of 32-bit palettes are the
// numbers themselves, so low is 0 and span is 1.
layout(std140) uniform Palettes {
    vec4 low[4];
    vec4 span[4];
    ivec4 entry_count;  // x entries of one actor
} palette_format;

// The skinning method defines ENTRY_ROWS, the number of texels of an entry: see LAYOUTS in ecs_anim/assets/skinning.py.
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
