// The sky behind all objects: a gradient or a panorama.
#include "light.glsl"
#include "sky.glsl"

in vec3 ray;

out vec4 color;

#ifdef PANORAMA
uniform sampler2D panorama;  // equirectangular, the upper edge is straight above
uniform float azimuth;       // [rad], compass bearing of the middle of the picture

const float TAU = 6.2831853;
const float HAZE = 45.0;  // decrease of the haze at the horizon; the haze hides the edge of the ground in the fog

// Return the colour of the panorama in the direction of the unit vector `way`. The level of detail comes from the angle
// between neighbouring pixels, because the texture coordinates have a seam.
vec3 panorama_color(vec3 way) {
    vec2 size = vec2(textureSize(panorama, 0));
    float angle = max(length(dFdx(way)), length(dFdy(way)));
    vec2 at = vec2((atan(way.x, -way.z) - azimuth) / TAU + 0.5, acos(clamp(way.y, -1.0, 1.0)) * 2.0 / TAU);
    at.y = clamp(at.y, 0.5 / size.y, 1.0 - 0.5 / size.y);
    return textureLod(panorama, at, log2(max(angle * size.x / TAU, 1.0))).rgb;
}
#endif

void main() {
    vec3 way = ray * inversesqrt(dot(ray, ray));
#ifdef PANORAMA
    color = vec4(mix(panorama_color(way), tone_map(frame.horizon_color.rgb), exp2(-HAZE * abs(way.y))), 1.0);
#else
    color = vec4(tone_map(sky(max(way.y, 0.0))), 1.0);
#endif
}
