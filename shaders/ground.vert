// A square of ground as far as the fog lets one see, centred below the eye.
#include "light.glsl"

out vec3 world_position;
flat out vec3 tile_light;
flat out vec3 line_light;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 place = frame.eye.xz + 1.05 * frame.fog.y * vec2(corner.x, -corner.y);
    world_position = vec3(place.x, frame.ground.x, place.y);
    vec3 light = diffuse_light(vec3(0.0, 1.0, 0.0));
    tile_light = frame.ground_color.rgb * light;
    line_light = frame.line_color.rgb * light;
    gl_Position = frame.view_projection * vec4(world_position, 1.0);
}
