// Sunlight and sky light on matte surfaces, distance fog, and tone mapping. All colours are linear.
#include "frame.glsl"

// The sunlight is half-Lambert: ((1 + n) / 2)^2 = n + ((1 - n) / 2)^2. The first term n is direct light, which objects
// can block. Objects do not block the second term.
float direct_sun(vec3 normal) {
    return max(dot(normal, frame.sun_direction.xyz), 0.0);
}

// Return the light on a matte surface in the shadow: the sunlight that objects do not block, and the sky light.
vec3 soft_light(vec3 normal) {
    float wrapped = 0.5 + 0.5 * dot(normal, frame.sun_direction.xyz);
    vec3 fill = mix(frame.bounce_color.rgb, frame.sky_color.rgb, 0.5 + 0.5 * normal.y);
    return frame.sun_color.rgb * (wrapped * wrapped - direct_sun(normal)) + fill;
}

#ifdef LAMPS
// The lamps nearest to the camera. ecs_anim/gl/model/lamps.py writes these fields in this order.
layout(std140) uniform Lamps {
    vec4 places[16];  // xyz [m], w 1 = the lamp exists
    vec4 lamp_color;  // rgb linear, w reach [m]
} lamps;

// Return the light of all lamps on a matte surface. Lamps cast no shadows. At the reach, the light of a lamp is 0.
vec3 lamp_light(vec3 world, vec3 normal) {
    float sum = 0.0;
    for (int i = 0; i < 16; ++i) {
        vec3 way = lamps.places[i].xyz - world;
        float square = dot(way, way);
        float left = max(1.0 - square / (lamps.lamp_color.w * lamps.lamp_color.w), 0.0);
        float facing = max(0.25 + 0.75 * dot(normal, way) * inversesqrt(max(square, 1e-4)), 0.0);
        sum += lamps.places[i].w * facing * left * left / (0.35 + 0.02 * square);
    }
    return sum * lamps.lamp_color.rgb;
}
#endif

// Return the reflection of the sky at a grazing angle. Surfaces that face down have no reflection.
vec3 rim_light(vec3 normal, vec3 to_eye) {
    float grazing = 1.0 - abs(dot(normal, to_eye));
    return (0.10 * grazing * grazing * grazing * (1.0 + normal.y)) * frame.sky_color.rgb;
}

// Near the ground, less sky is visible. Legs therefore become darker towards the feet.
float openness(float height, float normal_up) {
    return 1.0 - frame.ground.y * (0.34 - 0.14 * normal_up) * exp2(-3.5 * max(height, 0.0));
}

// Return the fog: 0 near the eye, and 1 where only the colour of the horizon is visible.
float fog_amount(vec3 world) {
    vec2 away = world.xz - frame.eye.xz;
    float t = clamp((length(away) - frame.fog.x) / (frame.fog.y - frame.fog.x), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

// Colours below 0.7 stay unchanged. Above 0.7, a parabola approaches 1 without hard clipping.
vec3 tone_map(vec3 color) {
    vec3 over = clamp(color - 0.7, 0.0, 0.6);
    return min(color, 0.7) + over - over * over * (1.0 / 1.2);
}
