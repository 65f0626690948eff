// Palette entries from a table of rows. A row contains all palette entries of one pose. Each instance has two plays, and
// a play blends two rows. Pages of ecs_anim/sharing use this file.
#include "affine.glsl"

layout(location = 10) in vec4 first_play;   // row before, row after, factor of the row after, weight
layout(location = 11) in vec4 second_play;  // weight 0 = unused

uniform samplerBuffer played_rows;
uniform int row_entries;  // palette entries of a row

int entry_texel(uint entry) {
    return ENTRY_ROWS * int(entry);
}

vec4 decoded(vec4 texel, int row) {
    return texel;
}

vec4 row_texel(float row, int texel) {
    return texelFetch(played_rows, int(row) * ENTRY_ROWS * row_entries + texel);
}

// Return the mean of two texels. The quaternions q and -q describe the same rotation, so the function negates the
// second quaternion if their dot product is negative.
vec4 mean(vec4 a, vec4 b, float share, int row) {
#ifdef DUAL_QUATERNION
    if (row == 0 && dot(a, b) < 0.0) b = -b;
#endif
    return mix(a, b, share);
}

vec4 play_texel(vec4 play, int texel, int row) {
    vec4 before = row_texel(play.x, texel);
    return play.z > 0.0 ? mean(before, row_texel(play.y, texel), play.z, row) : before;
}

vec4 palette_row(int texel, int row) {
    vec4 first = play_texel(first_play, texel + row, row);
    return second_play.w > 0.0 ? mean(first, play_texel(second_play, texel + row, row), second_play.w, row) : first;
}

vec4 palette_texel(int texel) {
    return palette_row(texel, 0);
}
