// Colour of the sky, and light that smooth surfaces reflect.
#include "frame.glsl"

// Return the colour in the direction `ray` with the height `up` over the horizon. The gradient is soft at the horizon.
// The ground in the fog and the sky therefore have no visible edge.
vec3 sky(float up) {
    float t = 1.0 - exp2(-6.5 * up * up / (up + 0.12));
    return mix(frame.horizon_color.rgb, frame.zenith_color.rgb, t);
}

// Return the light that arrives from the direction `ray`. Near the horizon, objects with the colour `around` hide the
// sky up to the height `hidden`.
vec3 surroundings(vec3 ray, vec3 around, float hidden) {
    return mix(around, sky(max(ray.y, 0.0)), smoothstep(0.0, hidden, ray.y));
}

// Return the reflected share of light, from the share `facing` at right angles (C. Schlick, 1994).
float fresnel(float cosine, float facing) {
    float off = 1.0 - clamp(cosine, 0.0, 1.0);
    return facing + (1.0 - facing) * off * off * off * off * off;
}
