// Where on its texture a vertex is, and on which of several.
#ifdef TEXTURED
layout(location = 2) in vec2 uv;
out vec2 surface_uv;
#ifdef VARIANTS
uniform isamplerBuffer variants;  // each actor's choice
flat out float layer;
#endif
#endif

void place_texture() {
#ifdef TEXTURED
    surface_uv = uv;
#ifdef VARIANTS
    layer = float(texelFetch(variants, gl_InstanceID).r);
#endif
#endif
}
