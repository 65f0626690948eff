// Emitted light of a surface, before fog.
#ifdef EMISSIVE
uniform vec3 emissive;  // linear RGB

#ifdef EMISSIVE_TEXTURED
uniform sampler2D emissive_texture;
#ifndef TEXTURED
in vec2 surface_uv;
#endif

vec3 emission() {
    return emissive * texture(emissive_texture, surface_uv).rgb;
}
#else
vec3 emission() {
    return emissive;
}
#endif
#endif
