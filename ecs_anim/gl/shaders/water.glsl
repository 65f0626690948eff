// Calm water with ripples. The ripples repeat every 60 s.
#include "sky.glsl"

const float PERIOD = 60.0;  // [s]; ecs_anim/gl/model/frame.py
const float TAU = 6.2831853;
// Each wave: direction x and z, length [m], number of oscillations in `PERIOD`.
const vec4 WAVES[5] = vec4[](vec4(0.88, 0.47, 1.13, 71.0), vec4(-0.36, 0.93, 0.71, 89.0), vec4(0.62, -0.78, 0.43, 114.0),
                             vec4(-0.95, -0.31, 0.29, 139.0), vec4(0.17, 0.98, 0.19, 172.0));
const float STEEPNESS = 0.034;  // largest slope of a wave
const float FACING = 0.02;      // reflected share of light at right angles

// Return the slopes along x and z and the curvature of the ripples, each from -1 to 1.
vec3 ripples(vec2 p, float time) {
    vec2 across = fwidth(p);
    float footprint = max(across.x, across.y);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 5; ++i) {
        vec4 wave = WAVES[i];
        float phase = TAU * (dot(wave.xy, p) / wave.z - wave.w * time / PERIOD);
        float seen = 1.0 - smoothstep(0.2, 0.5, footprint / wave.z);
        sum += seen * vec3(cos(phase) * wave.xy, -sin(phase));
    }
    return sum;
}

// `light` is the light in the shadow, and `sun` the direct sunlight. More water absorbs more light at grazing angles.
vec3 water(vec2 p, vec3 color, vec3 to_eye, vec3 light, vec3 sun) {
    vec3 ripple = ripples(p, frame.fog.z);
    vec3 normal = normalize(vec3(-STEEPNESS * ripple.x, 1.0, -STEEPNESS * ripple.y));
    float cosine = dot(normal, to_eye);
    vec3 bounced = reflect(-to_eye, normal);
    vec3 deep = color * mix(color, vec3(1.0), 0.10 + 0.45 * to_eye.y);
    float caustic = max(ripple.z, 0.0);
    vec3 body = deep * (light + sun * (0.8 + 0.07 * caustic * caustic));
    vec3 around = 0.30 * (frame.sun_color.rgb * 0.4 + frame.sky_color.rgb);
    vec3 seen = surroundings(bounced, around, 0.2);
    float glint = max(dot(bounced, frame.sun_direction.xyz), 0.0);
    glint *= glint; glint *= glint; glint *= glint; glint *= glint; glint *= glint; glint *= glint;
    return mix(body, seen, fresnel(cosine, FACING)) + 0.6 * glint * sun;
}
