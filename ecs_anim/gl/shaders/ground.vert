// A square of ground up to the range of the fog, centred below the eye.
#include "light.glsl"
#include "shadow_space.glsl"

// Cells per side of the square. Some software renderers interpolate imprecisely in triangles behind the eye, so pages of
// ecs_anim/sharing draw cells that are small near the eye: one instance per column of cells.
#ifndef CELLS
#define CELLS 1
#endif

out vec3 world_position;
out vec3 shadow;      // position on the shadow map
flat out vec3 light;  // light in the shadow
flat out vec3 sun;    // direct sunlight

void main() {
    vec2 corner = vec2(gl_InstanceID + (gl_VertexID & 1), gl_VertexID >> 1) / float(CELLS) * 2.0 - 1.0;
    corner *= abs(corner);
    vec2 at = frame.eye.xz + 1.05 * frame.fog.y * vec2(corner.x, -corner.y);
    world_position = vec3(at.x, frame.ground.x, at.y);
    shadow = shadow_position(world_position);
    light = soft_light(vec3(0.0, 1.0, 0.0));
    sun = direct_sun(vec3(0.0, 1.0, 0.0)) * frame.sun_color.rgb;
    gl_Position = frame.view_projection * vec4(world_position, 1.0);
}
