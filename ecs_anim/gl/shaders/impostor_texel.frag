// Contents of an impostor texel: colour, strength of the tint, and normal.
#include "seen.glsl"
#include "emission.glsl"

#ifdef FLAT_NORMALS
#define SHADED flat
#else
#define SHADED smooth
#endif

SHADED in vec3 world_normal;

// A texel can be the mean of pale cloth with tint and dark cloth without tint. Therefore, the strength of the tint is
// weighted by brightness.
const vec3 LUMINANCE = vec3(0.2126, 0.7152, 0.0722);

layout(location = 0) out vec4 color;
layout(location = 1) out vec4 normal;  // rgb = (n + 1) / 2 of the normal n, a = covered fraction

// Return the length of a normal for a lit fraction of a colour, 0 to 1. The rest of the colour is emitted light. The
// function `lit_share` in impostor.frag converts the length back to the fraction with a smoothstep.
float normal_size(float lit) {
    return lit > 0.99 ? 1.0 : 0.05 + 0.45 * (0.5 - sin(asin(1.0 - 2.0 * max(lit, 0.0)) / 3.0));
}

void main() {
    vec4 surface = seen_surface();
#if defined(CUTOUT) || defined(BLENDED)
    surface.a = 1.0;
#endif
    float reflected = dot(surface.rgb, LUMINANCE), size = 1.0;
#ifdef EMISSIVE
    surface.rgb += emission();
    size = normal_size(reflected / max(dot(surface.rgb, LUMINANCE), 1e-4));
#endif
    color = vec4(surface.rgb, surface.a * reflected);
#ifdef UNLIT
    normal = vec4(vec3(0.5), 1.0);  // no normal
#else
    vec3 facing = world_normal * (size * inversesqrt(max(dot(world_normal, world_normal), 1e-36)));
    normal = vec4(0.5 + 0.5 * (is_front() ? facing : -facing), 1.0);
#endif
}
