// A matte, slightly sheeny surface under sun and sky.
#include "light.glsl"

#ifdef FLAT_NORMALS
#define NORMAL_QUALIFIER flat
#else
#define NORMAL_QUALIFIER smooth
#endif

in vec3 world_position;
NORMAL_QUALIFIER in vec3 world_normal;
in vec2 surface_uv;
flat in vec3 tint;

uniform vec4 base_color;  // linear RGBA
uniform sampler2D base_texture;
uniform float alpha_cutoff;

out vec4 color;

vec4 surface_color() {
    vec4 surface = base_color;
#ifdef TEXTURED
    surface *= texture(base_texture, surface_uv);
#endif
    return vec4(surface.rgb * tint, surface.a);
}

vec3 surface_normal() {
    vec3 normal = normalize(world_normal);
#ifdef DOUBLE_SIDED
    normal = gl_FrontFacing ? normal : -normal;
#endif
    return normal;
}

// Near the ground less of the sky is seen: legs darken softly towards the feet.
float openness(float normal_up) {
    float height = world_position.y - frame.ground.x;
    return 1.0 - frame.ground.y * (0.34 - 0.14 * normal_up) * exp2(-3.5 * max(height, 0.0));
}

void main() {
    vec4 surface = surface_color();
#ifdef CUTOUT
    if (surface.a < alpha_cutoff) discard;
#endif
    vec3 normal = surface_normal();
    vec3 to_eye = normalize(frame.eye.xyz - world_position);
    float grazing = 1.0 - max(dot(normal, to_eye), 0.0);
    float rim = grazing * grazing * grazing * (0.5 + 0.5 * normal.y);
    float shine = max(dot(normal, normalize(to_eye + frame.sun_direction.xyz)), 0.0);
    shine *= shine; shine *= shine; shine *= shine; shine *= shine;

    vec3 lit = surface.rgb * diffuse_light(normal) * openness(normal.y);
    lit += 0.16 * rim * frame.sky_color.rgb + 0.035 * shine * frame.sun_color.rgb;
    color = vec4(mix(tone_map(lit), frame.horizon_color.rgb, fog_amount(world_position)), 1.0);
}
