// Ground with a grid.
#include "light.glsl"
#include "grid.glsl"
#include "sun.glsl"

in vec3 world_position;
in vec3 shadow;
flat in vec3 light;
flat in vec3 sun;

out vec4 color;

void main() {
    vec3 surface = mix(frame.ground_color.rgb, frame.line_color.rgb, grid(world_position.xz, vec2(1.0)));
    vec3 lit = surface * (light + sunlit(shadow) * sun);
    color = vec4(tone_map(mix(lit, frame.horizon_color.rgb, fog_amount(world_position))), 1.0);
}
