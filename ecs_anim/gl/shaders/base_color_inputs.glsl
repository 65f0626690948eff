// Inputs of a surface's colour: texture coordinates, texture number, and vertex colour.
#include "instance.glsl"

#if defined(TEXTURED) || defined(EMISSIVE_TEXTURED)
layout(location = 2) in vec2 uv;
out vec2 surface_uv;
#ifdef VARIANTS
flat out float layer;
#endif
#endif
#ifdef VERTEX_COLORS
layout(location = 9) in vec4 color;
out vec4 vertex_color;
#endif

void pass_base_color() {
#if defined(TEXTURED) || defined(EMISSIVE_TEXTURED)
    surface_uv = uv;
#ifdef VARIANTS
    layer = float(instance_numbers.z);
#endif
#endif
#ifdef VERTEX_COLORS
    vertex_color = color;
#endif
}
