// An impostor of an actor in the current light.
#include "sample_mask.glsl"
#include "light.glsl"

uniform sampler2DArray colors;
uniform sampler2DArray normals;
uniform bool some_unlit;  // whether some surfaces of the character are unlit or emissive

in vec2 in_layer;
flat in float layer;
flat in int number;
flat in vec4 turn;
flat in vec4 tint;
flat in vec3 to_eye;
flat in float fog;
in float height;
in float up_body;
#ifdef LAMPS
flat in vec3 middle;  // middle of the body [m]
#endif
#ifdef SHADOWS
flat in vec4 sunlit_at;
#endif

out vec4 color;

const vec3 LUMINANCE = vec3(0.2126, 0.7152, 0.0722);  // must equal the constant in impostor_texel.frag

vec3 rotate(vec4 q, vec3 v) {
    vec3 t = cross(q.xyz, v) + q.w * v;
    return v + 2.0 * cross(q.xyz, t);
}

// Return the direct sunlight, interpolated between the heights at which vertices looked up the shadow map.
vec3 straight() {
    vec3 sun = frame.sun_color.rgb;
#ifdef SHADOWS
    float at = clamp(4.0 * up_body - 0.5, 0.0, 3.0);
    sun *= dot(max(1.0 - abs(at - vec4(0.0, 1.0, 2.0, 3.0)), 0.0), sunlit_at);
#endif
    return sun;
}

#ifdef GL_ARB_sample_shading
#define SAMPLE_COUNT gl_NumSamples
#else
#define SAMPLE_COUNT SAMPLES
#endif

#ifdef ONE_SAMPLE
uniform int sample_number;  // number of the sample, if the drawing pass writes only one sample
#endif

// Cover `covered` samples of the pixel. If each pass writes one sample, discard the fragments that do not cover this
// sample. If shaders cannot set samples, return an alpha value, which the driver converts to a number of samples. The
// alpha value is half-way between two sample counts, because drivers round differently.
float alpha_of(int covered) {
#ifdef ONE_SAMPLE
    if ((sample_number + SAMPLES - number % SAMPLES) % SAMPLES >= covered) discard;
    return 1.0;
#elif defined(GL_ARB_sample_shading)
    cover(covered, number);
    return 1.0;
#else
    return (float(covered) - 0.375) / float(SAMPLE_COUNT);
#endif
}

// Return the lit fraction of a texel, 0 to 1. An unlit surface has no normal. An emissive surface has a short normal.
// The mean of a lit surface's normals is slightly shorter than 1.
float lit_share(vec4 texel) {
    return smoothstep(0.05, 0.5, length(2.0 * texel.rgb - 1.0) / texel.a);
}

void main() {
    vec4 texel = texture(normals, vec3(in_layer, layer), -1.0);
    float covered = floor(float(SAMPLE_COUNT) * texel.a + 0.5);
    if (covered < 1.0) discard;
    vec4 surface = texture(colors, vec3(in_layer, layer), -1.0) / texel.a;
    vec3 normal = normalize(rotate(turn, 2.0 * texel.rgb - 1.0));
    float clear = (1.0 - fog) * openness(height, normal.y);
    vec3 received = clear * (soft_light(normal) + direct_sun(normal) * straight());
#ifdef LAMPS
    received += (1.0 - fog) * lamp_light(middle, normal);
#endif
    vec3 sheen = mix(rim_light(normal, to_eye), frame.horizon_color.rgb, fog);
#ifdef PAINTED
    surface.rgb = tint.rgb;
#else
    float tinted = tint.a * min(surface.a / max(dot(surface.rgb, LUMINANCE), 1e-4), 1.0);
    surface.rgb *= mix(vec3(1.0), tint.rgb, tinted);
#endif
    vec3 shown = tone_map(surface.rgb * received + sheen);
    if (some_unlit) {
        float lit = lit_share(texel);
        vec3 unlit = mix(surface.rgb, tone_map(frame.horizon_color.rgb), fog);
        shown = lit > 0.0 ? mix(unlit, shown, lit) : unlit;
    }
    color = vec4(shown, alpha_of(int(covered)));
}
