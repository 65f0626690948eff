// A surface of the ground. The surface does not move, and its vertices are in world space.
#include "light.glsl"
#include "shadow_space.glsl"

layout(location = 0) in vec3 position;  // [m]
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;

out vec3 world_position;
smooth out vec3 world_normal;  // for label passes
out vec3 shadow;  // position on the shadow map
out vec3 light;   // light that a white surface reflects in the shadow
out float sun;    // fraction of direct sunlight, negative on the back side
out vec2 kept;    // strength of the grid's lines
out float level;  // 1 on level ground, 0 on steep ground
#if defined(TEXTURED) || defined(GLASS)
out vec2 surface_uv;
#endif
#ifdef VERTEX_COLORS
layout(location = 9) in vec3 color;
out vec3 vertex_color;
#endif

void main() {
    world_position = position;
    world_normal = normal;
    shadow = shadow_position(position, normal);
    light = soft_light(normal);
    sun = dot(normal, frame.sun_direction.xyz);
    // On a triangle that faces +X, x is nearly constant. A grid line x = n could then cover the whole triangle, so its
    // strength is 0 there.
    kept = smoothstep(0.3, 0.6, sqrt(max(1.0 - normal.xz * normal.xz, 0.0)));
    level = smoothstep(0.5, 0.8, abs(normal.y));
#if defined(TEXTURED) || defined(GLASS)
    surface_uv = uv;
#endif
#ifdef VERTEX_COLORS
    vertex_color = color;
#endif
    gl_Position = frame.view_projection * vec4(position, 1.0);
}
