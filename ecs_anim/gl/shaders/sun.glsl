// Sunlight at a point, from its position on the shadow map.
#include "frame.glsl"

uniform sampler2DShadow shadow_map;

// Return the position with the depth bias. Some drivers do not clamp the depth, so this function clamps the depth.
vec3 biased(vec3 position) {
    return vec3(position.xy, min(position.z - frame.shadow.w, 1.0));
}

// A tent filter over texels with bilinear look-ups. Each look-up is at a position between its texels (I. Castano, "Shadow
// Mapping Summary", 2013). Straight edges of shadows on floors and walls need the filter over 5 x 5 texels. On the skin
// of characters, shadows have no straight edges, so a filter over 3 x 3 texels is sufficient.
#if defined(INFLUENCES) && INFLUENCES > 1
#define NARROW
#endif

#ifdef NARROW
const int TAPS = 2;
const float WEIGHT = 16.0;
#else
const int TAPS = 3;
const float WEIGHT = 144.0;
#endif

float tent(vec3 position) {
    vec2 at = position.xy / frame.shadow.x;
    vec2 base = floor(at + 0.5);
    vec2 part = at + 0.5 - base;
#ifdef NARROW
    vec2 weights[TAPS] = vec2[](3.0 - 2.0 * part, 1.0 + 2.0 * part);
    vec2 taps[TAPS] = vec2[]((2.0 - part) / weights[0] - 1.0, part / weights[1] + 1.0);
#else
    vec2 weights[TAPS] = vec2[](4.0 - 3.0 * part, vec2(7.0), 1.0 + 3.0 * part);
    vec2 taps[TAPS] = vec2[]((3.0 - 2.0 * part) / weights[0] - 2.0, (3.0 + part) / 7.0, part / weights[2] + 2.0);
#endif
    float sum = 0.0;
    for (int row = 0; row < TAPS; ++row) {
        for (int column = 0; column < TAPS; ++column) {
            vec2 look_up = (base - 0.5 + vec2(taps[column].x, taps[row].y)) * frame.shadow.x;
            sum += weights[column].x * weights[row].y * texture(shadow_map, vec3(look_up, position.z));
        }
    }
    return sum / WEIGHT;
}

// Relative distance from the middle of the map. Shadows fade out towards the rim, where the distance is 1.
float from_middle(vec3 position) {
    vec2 off = 2.0 * position.xy - 1.0;
    return frame.shadow.z < 0.5 ? 1.0 : dot(off, off);
}

// Return 0 in shadow, 1 in light, from a single look-up. Vertices and fast pictures use this function.
float sunlit_once(vec3 position) {
    float far = from_middle(position);
    if (far >= 1.0) return 1.0;
    return mix(textureLod(shadow_map, biased(position), 0.0), 1.0, smoothstep(0.5, 1.0, far));
}

// Return 0 in shadow, 1 in light.
float sunlit(vec3 position) {
#ifdef QUICK_SHADOWS
    return sunlit_once(position);
#else
    float far = from_middle(position);
    if (far >= 1.0) return 1.0;
    return mix(tent(biased(position)), 1.0, smoothstep(0.5, 1.0, far));
#endif
}
