// The ground plane with its material. A picture can cover the material.
#include "light.glsl"
#include "floor.glsl"
#include "sun.glsl"

in vec3 world_position;
in vec3 shadow;
flat in vec3 light;
flat in vec3 sun;

#ifdef PICTURE
uniform sampler2D picture;
// maps world (x, z, 1) to a multiple of (u, v, 1); the factor is negative beyond the horizon
uniform vec3 picture_rows[3];
#endif

out vec4 color;

#ifdef PICTURE
// Blend the picture's colour over the ground's colour. The border is one pixel wide.
vec3 with_picture(vec3 ground) {
    vec3 at = vec3(world_position.xz, 1.0);
    float depth = dot(picture_rows[2], at);
    vec2 uv = vec2(dot(picture_rows[0], at), dot(picture_rows[1], at)) / depth;
    vec2 inside = clamp(min(uv, 1.0 - uv) / max(fwidth(uv), 1e-6) + 0.5, 0.0, 1.0);
    vec4 seen = texture(picture, uv);
    return depth > 0.0 ? mix(ground, seen.rgb, seen.a * inside.x * inside.y) : ground;
}
#endif

void main() {
    vec3 surface = floor_color(world_position.xz, vec2(1.0), 1.0, frame.ground_color.rgb, frame.line_color.rgb);
#ifdef PICTURE
    surface = with_picture(surface);
#endif
    vec3 arriving = light + sunlit(shadow) * sun;
#ifdef LAMPS
    arriving += lamp_light(world_position, vec3(0.0, 1.0, 0.0));
#endif
    vec3 lit = surface * arriving;
#ifdef WET
    lit = wet_floor(lit, world_position.xz, normalize(frame.eye.xyz - world_position), frame.ground.w);
#endif
    color = vec4(tone_map(mix(lit, frame.horizon_color.rgb, fog_amount(world_position))), 1.0);
}
