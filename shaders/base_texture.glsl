// A surface's base colour texture, or the actor's own of several.
#ifdef TEXTURED
in vec2 surface_uv;
#ifdef VARIANTS
flat in float layer;
uniform sampler2DArray base_texture;

vec4 base_texel() {
    return texture(base_texture, vec3(surface_uv, layer));
}
#else
uniform sampler2D base_texture;

vec4 base_texel() {
    return texture(base_texture, surface_uv);
}
#endif
#endif
