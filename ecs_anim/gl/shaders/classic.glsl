// The classic method: every vertex reads its palette entries from a texture with all bake rows. A batch has
// CLASSIC_ACTORS instances. ecs_anim/gl/crowds/bake_classic.py writes the texture. NEAREST_ROW: rows are not
// interpolated.
#include "affine.glsl"

const int CLASSIC_ACTORS = 80;
uniform sampler2D classic_rows;                   // one texture row per bake row, three texels per palette entry
uniform vec4 classic_plays[2 * CLASSIC_ACTORS];   // two clips: row before, row after, factor, weight

vec4 classic_texel(vec4 play, int column) {
    vec4 before = texelFetch(classic_rows, ivec2(column, int(play.x)), 0);
#ifdef NEAREST_ROW
    return before;
#else
    return mix(before, texelFetch(classic_rows, ivec2(column, int(play.y)), 0), play.z);
#endif
}

Affine classic_entry(uint entry) {
    int first = 2 * gl_InstanceID, column = 3 * int(entry);
    int count = classic_plays[first + 1].w > 0.0 ? 2 : 1;
    Affine sum = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int k = 0; k < count; ++k) {
        vec4 play = classic_plays[first + k];
        sum.x += play.w * classic_texel(play, column);
        sum.y += play.w * classic_texel(play, column + 1);
        sum.z += play.w * classic_texel(play, column + 2);
    }
    return sum;
}
