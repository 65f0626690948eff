// Uneven ground, blocks and walls. A surface has the pattern of its material, or a texture in place of the pattern.
#include "light.glsl"
#include "floor.glsl"
#include "slanted.glsl"
#include "sun.glsl"
#include "sky.glsl"
#ifdef GLASS
#include "glass.glsl"
#endif
#ifdef WATER
#include "water.glsl"
#endif

in vec3 world_position;
smooth in vec3 world_normal;
in vec3 shadow;
in vec3 light;
in float sun;
in vec2 kept;
in float level;

uniform vec3 tile_color;  // linear RGB
#if defined(TEXTURED) || defined(GLASS)
in vec2 surface_uv;
#endif
#ifdef TEXTURED
uniform sampler2D base_texture;
#else
uniform vec3 line_color;
#endif
#ifdef VERTEX_COLORS
in vec3 vertex_color;
#endif

out vec4 color;

// Return the point of the pattern [m]. On walls, the pattern is upright.
vec2 pattern_point() {
#ifdef UPRIGHT
    vec3 n = world_normal;
    if (abs(n.y) < 0.7) return vec2(dot(world_position.xz, normalize(vec2(n.z, -n.x))), -world_position.y);
#endif
    return world_position.xz;
}

void main() {
#ifdef UPRIGHT
    float strength = 1.0;
#else
    float strength = level;
#endif
#ifdef TEXTURED
    vec3 surface = tile_color * slanted_texture(base_texture, surface_uv).rgb;
#else
    vec3 surface = floor_color(pattern_point(), kept, strength, tile_color, line_color);
#endif
#ifdef VERTEX_COLORS
    surface *= vertex_color;
#endif
    float fog = fog_amount(world_position);
#ifdef UNLIT
    color = vec4(mix(surface, tone_map(frame.horizon_color.rgb), fog), 1.0);
#else
    float direct = max(gl_FrontFacing ? sun : -sun, 0.0);
    vec3 sunlight = (sunlit(shadow) * direct) * frame.sun_color.rgb;
    vec3 arriving = light + sunlight;
#ifdef LAMPS
    arriving += lamp_light(world_position, normalize(gl_FrontFacing ? world_normal : -world_normal));
#endif
    vec3 lit = surface * arriving;
#ifdef WET
    lit = mix(lit, wet_floor(lit, world_position.xz, normalize(frame.eye.xyz - world_position), frame.ground.w), level);
#endif
#ifdef GLASS
    lit = glass(surface_uv, surface, normalize(world_normal), normalize(frame.eye.xyz - world_position), light);
#endif
#ifdef WATER
    vec3 wet = water(world_position.xz, surface, normalize(frame.eye.xyz - world_position), light, sunlight);
    lit = mix(lit, wet, level);
#endif
    color = vec4(tone_map(mix(lit, frame.horizon_color.rgb, fog)), 1.0);
#endif
}
