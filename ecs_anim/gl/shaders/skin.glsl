// The matrix of a vertex, blended from INFLUENCES (1 to 16) palette entries. The entry with the largest weight comes
// first.
#include "affine.glsl"
#include "instance.glsl"

#if defined(CLASSIC)
#include "classic.glsl"
#elif defined(PLAYED)
#include "played.glsl"
#else
#include "palette.glsl"
#endif

layout(location = 3) in uvec4 palette_indices;
layout(location = 4) in vec4 weights;
#if INFLUENCES > 4
const int SETS = (INFLUENCES + 3) / 4;
layout(location = 10) in uvec4 more_indices[SETS - 1];
layout(location = 13) in vec4 more_weights[SETS - 1];

uint entry_of(int i) {
    return i < 4 ? palette_indices[i] : more_indices[i / 4 - 1][i % 4];
}

float weight_of(int i) {
    return i < 4 ? weights[i] : more_weights[i / 4 - 1][i % 4];
}
#else
uint entry_of(int i) { return palette_indices[i]; }
float weight_of(int i) { return weights[i]; }
#endif

#if defined(CLASSIC)
Affine blended_palette() {
    Affine sum = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int i = 0; i < INFLUENCES; ++i) {
        Affine entry = classic_entry(entry_of(i));
        sum.x += weight_of(i) * entry.x;
        sum.y += weight_of(i) * entry.y;
        sum.z += weight_of(i) * entry.z;
    }
    return sum;
}
#elif defined(DUAL_QUATERNION)
#include "dual_quaternion.glsl"

// Apply the mean stretch, then the mean rigid motion (Kavan and others 2008).
Affine blended_palette() {
    Rigid motion = Rigid(vec4(0.0), vec4(0.0));
    Stretch stretch = Stretch(vec3(0.0), vec3(0.0), vec3(0.0));
    vec4 pivot = vec4(0.0);
    for (int i = 0; i < INFLUENCES; ++i) {
        int texel = entry_texel(entry_of(i));
        vec4 rotation = palette_row(texel, 0);
        if (i == 0) pivot = rotation;
        vec4 move = palette_row(texel, 1);
        vec4 offset = palette_row(texel, 2);
        add_rigid(motion, rotation, move.xyz, dot(rotation, pivot) < 0.0 ? -weight_of(i) : weight_of(i));
        add_stretch(stretch, offset.xyz, vec2(move.w, offset.w), palette_row(texel, 3), weight_of(i));
    }
    return after(motion, stretch);
}
#else
Affine blended_palette() {
    Affine sum = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int i = 0; i < INFLUENCES; ++i) {
        int texel = entry_texel(entry_of(i));
        sum.x += weight_of(i) * palette_texel(texel);
        sum.y += weight_of(i) * palette_texel(texel + 1);
        sum.z += weight_of(i) * palette_texel(texel + 2);
    }
    return Affine(decoded(sum.x, 0), decoded(sum.y, 1), decoded(sum.z, 2));  // weights sum to 1
}
#endif
