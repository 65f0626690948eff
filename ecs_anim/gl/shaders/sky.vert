// One triangle over the whole picture, at the far plane.
#include "frame.glsl"

out vec3 ray;  // direction from the eye, not normalised

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
    vec4 far = frame.inverse_view_projection * vec4(corner, 1.0, 1.0);
    ray = far.xyz / far.w - frame.eye.xyz;
    gl_Position = vec4(corner, 1.0, 1.0);
}
