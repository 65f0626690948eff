// Ground with a grid.
#include "light.glsl"
#include "grid.glsl"

in vec3 world_position;
flat in vec3 tile_light;
flat in vec3 line_light;

out vec4 color;

void main() {
    vec3 lit = mix(tile_light, line_light, grid(world_position.xz, vec2(1.0)));
    color = vec4(tone_map(mix(lit, frame.horizon_color.rgb, fog_amount(world_position))), 1.0);
}
