// Where on its texture a vertex is, and on which of several.
#include "instance.glsl"

#ifdef TEXTURED
layout(location = 2) in vec2 uv;
out vec2 surface_uv;
#ifdef VARIANTS
flat out float layer;
#endif
#endif

void place_texture() {
#ifdef TEXTURED
    surface_uv = uv;
#ifdef VARIANTS
    layer = float(instance_numbers.z);
#endif
#endif
}
