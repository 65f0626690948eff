// Uneven ground on the shadow map. CLAMPED_DEPTH: see shadow.vert.
#include "shadow_space.glsl"

layout(location = 0) in vec3 position;  // [m]

void main() {
    gl_Position = vec4(2.0 * shadow_position(position) - 1.0, 1.0);
#ifdef CLAMPED_DEPTH
    gl_Position.z = max(gl_Position.z, -1.0);
#endif
}
