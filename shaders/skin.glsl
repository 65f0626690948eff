// Which palette entries move a vertex. INFLUENCES (1 to 4) of them are read.
#include "palette.glsl"

layout(location = 3) in uvec4 palette_indices;
layout(location = 4) in vec4 weights;

Affine blended_palette() {
    Affine sum = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int i = 0; i < INFLUENCES; ++i) {
        add_scaled(sum, palette_entry(int(palette_indices[i])), weights[i]);
    }
    return sum;
}
