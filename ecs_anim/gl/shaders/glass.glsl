// Window panes. A pane reflects the sky. Behind the reflection, a dark room is visible, and some rooms have curtains or
// a blind.
#include "sky.glsl"

uniform sampler2D noise;

const float FACING = 0.20;  // reflected share of light at right angles, for two panes
const float HIDDEN = 0.22;  // height of the reflected houses on the other side, as the sine of their elevation

// `pane` is (2 * number + u, v) with u and v from 0 to 1. Pane 0 has no curtains. `light` is the light in the shadow.
vec3 glass(vec2 pane, vec3 color, vec3 normal, vec3 to_eye, vec3 light) {
    int number = int(pane.x * 0.5);
    vec4 own = vec4(texelFetch(noise, ivec2(number * 7, number * 13) & 255, 0).xy,
                    texelFetch(noise, ivec2(number * 29, number * 3) & 255, 0).xy);
    float u = abs(4.0 * fract(0.5 * pane.x) - 1.0);  // 0 in the middle, 1 at the sides
    float cloth = number == 0 ? 0.0 : max(step(0.42 + 0.5 * own.z, u) * step(0.45, own.x),
                                          step(1.25 - 0.9 * own.w, pane.y) * step(own.x, 0.4));
    vec3 room = mix(color * (0.4 + 0.6 * pane.y), vec3(0.72, 0.69, 0.62) * (0.7 + 0.3 * u), 0.8 * cloth);
    vec3 tilted = normalize(normal + (number == 0 ? 0.0 : 0.05) * (own.xyz - 0.5));
    vec3 around = 0.30 * (frame.sun_color.rgb * 0.4 + frame.sky_color.rgb);
    vec3 seen = surroundings(reflect(-to_eye, tilted), around, HIDDEN);
    return mix(room * light, seen, fresnel(dot(tilted, to_eye), FACING));
}
