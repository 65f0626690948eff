// Colour of a surface: the material's colour times the texture's colour times the vertex colour.
uniform vec4 base_color;  // linear RGBA

#ifdef TEXTURED
in vec2 surface_uv;
#ifdef VARIANTS
flat in float layer;
uniform sampler2DArray base_texture;

vec4 base_texel() {
    return texture(base_texture, vec3(surface_uv, mod(layer, float(textureSize(base_texture, 0).z))));
}
#else
uniform sampler2D base_texture;

vec4 base_texel() {
    return texture(base_texture, surface_uv);
}
#endif
#endif
#ifdef VERTEX_COLORS
in vec4 vertex_color;
#endif

vec4 base_surface() {
    vec4 surface = base_color;
#ifdef TEXTURED
    surface *= base_texel();
#endif
#ifdef VERTEX_COLORS
    surface *= vertex_color;
#endif
    return surface;
}
