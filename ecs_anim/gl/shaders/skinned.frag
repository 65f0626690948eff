// A matte surface: its colour times the light at the vertices.
#include "seen.glsl"
#include "light.glsl"
#ifdef SHADOWS_BY_FRAGMENT
#include "sun.glsl"
#endif
#include "emission.glsl"

#ifdef FLAT_NORMALS
#define SHADED flat
#else
#define SHADED smooth
#endif

SHADED in vec3 light;
SHADED in vec3 sheen;
flat in vec4 tint;
#ifdef DOUBLE_SIDED
SHADED in vec3 back_light;
#endif
#ifdef SHADOWS_BY_FRAGMENT
in vec3 shadow;
SHADED in float sun;
#ifdef DOUBLE_SIDED
SHADED in float back_sun;
#endif
#endif

#ifdef EMISSIVE
in vec3 world_position;
#endif

out vec4 color;

vec3 received() {
#ifdef DOUBLE_SIDED
    vec3 soft = is_front() ? light : back_light;
#else
    vec3 soft = light;
#endif
#ifdef SHADOWS_BY_FRAGMENT
#ifdef DOUBLE_SIDED
    float direct = is_front() ? sun : back_sun;
#else
    float direct = sun;
#endif
    soft += (sunlit(shadow) * direct) * frame.sun_color.rgb;
#endif
    return soft;
}

void main() {
    vec4 surface = seen_surface();
#if defined(PAINTED)
    surface.rgb = tint.rgb;
#elif defined(CUTOUT) || defined(BLENDED)
    surface.rgb *= mix(vec3(1.0), tint.rgb, tint.a);
#else  // the alpha value of an opaque surface multiplies the strength of the tint
    surface.rgb *= mix(vec3(1.0), tint.rgb, tint.a * surface.a);
#endif
#ifdef UNLIT
    color = vec4(surface.rgb * light + sheen, 1.0);
#else
    vec3 shown = surface.rgb * received() + sheen;
#ifdef EMISSIVE
    shown += (1.0 - fog_amount(world_position)) * emission();
#endif
    color = vec4(tone_map(shown), 1.0);
#endif
}
