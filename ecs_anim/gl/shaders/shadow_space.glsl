// Position of a point on the sun's shadow map: x and y across, z away from the sun. Inside the map, all values are 0 to
// 1.
#include "frame.glsl"

vec3 shadow_position(vec3 world) {
    vec4 p = vec4(world, 1.0);
    return vec3(dot(frame.shadow_rows[0], p), dot(frame.shadow_rows[1], p), dot(frame.shadow_rows[2], p));
}

// Move the point away from the sunlit side of the surface, so that the surface casts no shadow on itself.
vec3 shadow_position(vec3 world, vec3 normal) {
    float side = dot(normal, frame.sun_direction.xyz) < 0.0 ? -1.0 : 1.0;
    return shadow_position(world + (side * frame.shadow.y) * normal);
}
