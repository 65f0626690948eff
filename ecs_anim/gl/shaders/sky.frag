// The sky behind all objects.
#include "light.glsl"
#include "sky.glsl"

in vec3 ray;

out vec4 color;

void main() {
    float up = max(ray.y * inversesqrt(dot(ray, ray)), 0.0);
    color = vec4(tone_map(sky(up)), 1.0);
}
