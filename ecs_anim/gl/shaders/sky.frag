// A colour gradient that is soft at the horizon. The ground in the fog and the sky therefore have no visible edge.
#include "light.glsl"

in vec3 ray;

out vec4 color;

void main() {
    float up = max(ray.y * inversesqrt(dot(ray, ray)), 0.0);
    float t = 1.0 - exp2(-6.5 * up * up / (up + 0.12));
    color = vec4(tone_map(mix(frame.horizon_color.rgb, frame.zenith_color.rgb, t)), 1.0);
}
