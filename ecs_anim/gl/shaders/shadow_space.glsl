// Where a point lies on the sun's shadow map: x and y across it, z away from the sun, all 0 to 1 inside.
#include "frame.glsl"

vec3 shadow_position(vec3 world) {
    vec4 p = vec4(world, 1.0);
    return vec3(dot(frame.shadow_rows[0], p), dot(frame.shadow_rows[1], p), dot(frame.shadow_rows[2], p));
}

// Moved off the surface on the side that the sun shines on, so that the surface does not shade itself.
vec3 shadow_position(vec3 world, vec3 normal) {
    float side = dot(normal, frame.sun_direction.xyz) < 0.0 ? -1.0 : 1.0;
    return shadow_position(world + (side * frame.shadow.y) * normal);
}
