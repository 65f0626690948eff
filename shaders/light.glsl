// Sun and sky on matte surfaces, distance fog, and the way to the display's range. All in linear light.
#include "frame.glsl"

// Light that a matte surface receives: the sun wraps round the form (half-Lambert), the sky fills from above.
vec3 diffuse_light(vec3 normal) {
    float wrapped = 0.5 + 0.5 * dot(normal, frame.sun_direction.xyz);
    vec3 fill = mix(frame.bounce_color.rgb, frame.sky_color.rgb, 0.5 + 0.5 * normal.y);
    return frame.sun_color.rgb * (wrapped * wrapped) + fill;
}

// 0 near the eye, 1 where only the horizon's colour is left.
float fog_amount(vec3 world) {
    vec2 away = world.xz - frame.eye.xz;
    float t = clamp((length(away) - frame.fog.x) / (frame.fog.y - frame.fog.x), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

// Below 0.8 colours stay as they are; above, they roll off towards 1 and never clip.
vec3 tone_map(vec3 color) {
    vec3 over = max(color - 0.8, 0.0);
    return min(color, 0.8) + 0.2 * (1.0 - exp(-5.0 * over));
}
