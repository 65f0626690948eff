// What moves a vertex: a matrix, blended of palette entries. INFLUENCES (1 to 4) of them are read, the heaviest first.
#include "palette.glsl"

layout(location = 3) in uvec4 palette_indices;
layout(location = 4) in vec4 weights;

#ifdef DUAL_QUATERNION
#include "dual_quaternion.glsl"

// Stretched by the mean stretch, then moved by the mean rigid motion (Kavan and others 2008).
Affine blended_palette() {
    Rigid motion = Rigid(vec4(0.0), vec4(0.0));
    Stretch stretch = Stretch(vec3(0.0), vec3(0.0), vec3(0.0));
    vec4 pivot = vec4(0.0);
    for (int i = 0; i < INFLUENCES; ++i) {
        int texel = entry_texel(palette_indices[i]);
        vec4 rotation = texelFetch(palettes, texel);
        if (i == 0) pivot = rotation;
        vec4 move = texelFetch(palettes, texel + 1);
        vec4 offset = texelFetch(palettes, texel + 2);
        add_rigid(motion, rotation, move.xyz, dot(rotation, pivot) < 0.0 ? -weights[i] : weights[i]);
        add_stretch(stretch, offset.xyz, vec2(move.w, offset.w), texelFetch(palettes, texel + 3), weights[i]);
    }
    return after(motion, stretch);
}
#else
Affine blended_palette() {
    Affine sum = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int i = 0; i < INFLUENCES; ++i) {
        int texel = entry_texel(palette_indices[i]);
        sum.x += weights[i] * texelFetch(palettes, texel);
        sum.y += weights[i] * texelFetch(palettes, texel + 1);
        sum.z += weights[i] * texelFetch(palettes, texel + 2);
    }
    return sum;
}
#endif
