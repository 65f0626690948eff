// What an impostor's picture keeps of a surface: its colour, how much of the tint it takes, its normal.
#include "base_color.glsl"
#include "front.glsl"

#ifdef FLAT_NORMALS
#define SHADED flat
#else
#define SHADED smooth
#endif

SHADED in vec3 world_normal;

uniform float alpha_cutoff;

// Pale cloth that takes the tint and dark cloth that does not are averaged in a texel: so shares are kept by weight.
const vec3 LUMINANCE = vec3(0.2126, 0.7152, 0.0722);

layout(location = 0) out vec4 color;
layout(location = 1) out vec4 normal;  // rgb half of it and a half, a: something is here

void main() {
    cull();
    vec4 surface = base_surface();
#ifdef CUTOUT
    if (surface.a < alpha_cutoff) discard;
    surface.a = 1.0;
#endif
    color = vec4(surface.rgb, surface.a * dot(surface.rgb, LUMINANCE));
#ifdef UNLIT
    normal = vec4(vec3(0.5), 1.0);  // none
#else
    vec3 facing = world_normal * inversesqrt(max(dot(world_normal, world_normal), 1e-36));
    normal = vec4(0.5 + 0.5 * (is_front() ? facing : -facing), 1.0);
#endif
}
