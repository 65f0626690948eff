// Sun and sky on matte surfaces, distance fog, and the way to the display's range. All in linear light.
#include "frame.glsl"

// The sun wraps round the form (half-Lambert): ((1 + n) / 2)^2 = n + ((1 - n) / 2)^2, of which n, the part that
// comes straight from the sun, can be cut off by something in between, and the rest always arrives.
float direct_sun(vec3 normal) {
    return max(dot(normal, frame.sun_direction.xyz), 0.0);
}

// What a matte surface receives in the shadow: the sun's soft rest, and the sky, which fills from above.
vec3 soft_light(vec3 normal) {
    float wrapped = 0.5 + 0.5 * dot(normal, frame.sun_direction.xyz);
    vec3 fill = mix(frame.bounce_color.rgb, frame.sky_color.rgb, 0.5 + 0.5 * normal.y);
    return frame.sun_color.rgb * (wrapped * wrapped - direct_sun(normal)) + fill;
}

// The sky's gleam on a surface that is seen at a grazing angle and does not face down.
vec3 rim_light(vec3 normal, vec3 to_eye) {
    float grazing = 1.0 - abs(dot(normal, to_eye));
    return (0.10 * grazing * grazing * grazing * (1.0 + normal.y)) * frame.sky_color.rgb;
}

// Near the ground less of the sky is seen: legs darken softly towards the feet.
float openness(float height, float normal_up) {
    return 1.0 - frame.ground.y * (0.34 - 0.14 * normal_up) * exp2(-3.5 * max(height, 0.0));
}

// 0 near the eye, 1 where only the horizon's colour is left.
float fog_amount(vec3 world) {
    vec2 away = world.xz - frame.eye.xz;
    float t = clamp((length(away) - frame.fog.x) / (frame.fog.y - frame.fog.x), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

// Below 0.7 colours stay as they are; above, a parabola rolls off to 1 and never clips hard.
vec3 tone_map(vec3 color) {
    vec3 over = clamp(color - 0.7, 0.0, 0.6);
    return min(color, 0.7) + over - over * over * (1.0 / 1.2);
}
