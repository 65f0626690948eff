// Colours of floors and walls. One define selects the material: GRID, PAVING, ASPHALT, GRASS, TILES, PLANKS, BRICKS,
// CONCRETE or REPEATED (a picture). Without a define, the colour is uniform. All patterns have the mean colour `color`.
// Therefore, no edge between two materials is visible far away.
#include "grid.glsl"
#include "slanted.glsl"
#include "sky.glsl"

#if defined(TILES) || defined(PLANKS) || defined(BRICKS) || defined(CONCRETE)
#define PIECES
#endif
#if defined(PAVING) || defined(ASPHALT) || defined(GRASS) || defined(PIECES) || defined(WET)
uniform sampler2D noise;  // x fine grain, y patches, both with the mean 0.5; ecs_anim/gl/picture/noise.py
const mat2 ROTATED = mat2(0.8, 0.6, -0.6, 0.8);  // hides the repetition of the tile

// Return the deviation from the mean, -1 to 1, of grain with a tile of `size` metres.
float grain(vec2 p, float size) {
    return 2.0 * texture(noise, p / size).x - 1.0;
}

float patches(vec2 p, float size) {
    return 2.0 * texture(noise, ROTATED * p / size).y - 1.0;
}
#endif

#ifdef PAVING
const vec2 SLAB = vec2(1.0, 0.5);     // [m]
const vec2 JOINT = vec2(0.012);       // [m], width of the joints between slabs

// Slabs of 1 m by 0.5 m. Each row is shifted by half a slab. Slabs differ in brightness.
vec3 paving(vec2 p, float level, vec3 color, vec3 line_color) {
    vec2 footprint = max(fwidth(p), 1e-5) / SLAB;
    vec2 at = p / SLAB;
    float row = floor(at.y);
    at.x += 0.5 * mod(row, 2.0);
    float near = level * (1.0 - smoothstep(0.35, 1.0, max(footprint.x, footprint.y)));
    vec2 joints = line_coverage(at, footprint, JOINT / SLAB);
    joints.x = mix(JOINT.x / SLAB.x, joints.x, near);
    ivec2 slab = ivec2(floor(at.x) * 37.0, row * 101.0);
    float own = 2.0 * texelFetch(noise, slab & (textureSize(noise, 0) - 1), 0).x - 1.0;
    float shade = 0.09 * near * own + level * (0.07 * grain(p, 1.3) + 0.10 * patches(p, 11.0));
    return mix(color * (1.0 + shade), line_color * (1.0 + 0.5 * shade), level * either(joints));
}
#endif

#ifdef ASPHALT
vec3 asphalt(vec2 p, float level, vec3 color) {
    return color * (1.0 + level * (0.20 * grain(p, 0.9) + 0.08 * grain(p, 3.7) + 0.12 * patches(p, 17.0)));
}
#endif

#ifdef GRASS
vec3 grass(vec2 p, float level, vec3 color) {
    float tufts = patches(p, 5.3), meadow = patches(p, 31.0);
    float blades = 0.26 * grain(p, 1.1) + 0.14 * grain(p, 4.1) + 0.10 * tufts;
    vec3 dry = vec3(0.16, 0.05, -0.06) * (meadow + 0.4 * tufts);
    return color * (1.0 + level * (blades + dry));
}
#endif

#ifdef PIECES
// Size of a piece [m], width of the joints [m], shift of each row [pieces], difference of brightness between pieces.
#if defined(TILES)
const vec2 PIECE = vec2(0.30);
const float GAP = 0.006, SHIFT = 0.0, DIFFERENCE = 0.05;
#elif defined(PLANKS)
const vec2 PIECE = vec2(2.0, 0.14);
const float GAP = 0.005, SHIFT = 0.37, DIFFERENCE = 0.22;
#elif defined(BRICKS)
const vec2 PIECE = vec2(0.25, 0.083);
const float GAP = 0.012, SHIFT = 0.5, DIFFERENCE = 0.20;
#else
const vec2 PIECE = vec2(2.5, 1.25);
const float GAP = 0.015, SHIFT = 0.0, DIFFERENCE = 0.06;
#endif

// Rows of equal pieces with joints. The pieces differ in brightness. The grain of planks is long.
vec3 pieces(vec2 p, float level, vec3 color, vec3 line_color) {
    vec2 footprint = max(fwidth(p), 1e-5) / PIECE;
    vec2 at = p / PIECE, width = vec2(GAP) / PIECE;
    float row = floor(at.y);
    at.x += fract(SHIFT * row);
    float near = level * (1.0 - smoothstep(0.35, 1.0, max(footprint.x, footprint.y)));
    vec2 joints = line_coverage(at, footprint, width);
    joints.x = mix(width.x, joints.x, near);
    ivec2 piece = ivec2(floor(at.x) * 37.0, row * 101.0);
    float own = 2.0 * texelFetch(noise, piece & (textureSize(noise, 0) - 1), 0).x - 1.0;
#ifdef PLANKS
    float fine = 0.16 * grain(vec2(0.12 * p.x, p.y), 0.35);
#else
    float fine = 0.08 * grain(p, 0.9);
#endif
    float shade = DIFFERENCE * 2.0 * near * own + level * (fine + 0.12 * patches(p, 7.0));
    return mix(color * (1.0 + shade), line_color * (1.0 + 0.5 * shade), level * either(joints));
}
#endif

#ifdef REPEATED
uniform sampler2D tile;
uniform float tile_size;  // [m]
#endif

#ifdef WET
const float WATER_FACING = 0.02;  // share of light that water reflects at right angles

// Return the light from a wet floor: darker than the dry floor with the light `lit`, and with reflections of the sky.
// Puddles reflect more. `wetness` is 0 to 1.
vec3 wet_floor(vec3 lit, vec2 p, vec3 to_eye, float wetness) {
    float puddle = smoothstep(1.1 - 1.2 * wetness, 1.3 - 1.2 * wetness, 0.5 + 0.9 * patches(p, 9.0));
    float cosine = max(to_eye.y, 0.0);
    float mirror = wetness * mix(0.35, 1.0, puddle) * fresnel(cosine, WATER_FACING);
    vec3 around = 0.30 * (frame.sun_color.rgb * 0.4 + frame.sky_color.rgb);
    vec3 seen = surroundings(reflect(-to_eye, vec3(0.0, 1.0, 0.0)), around, 0.25);
    return mix(lit * (1.0 - wetness * mix(0.30, 0.55, puddle)), seen, min(1.6 * mirror, 1.0));
}
#endif

// Return the colour of the floor at `p` [m]. `kept` is the strength of the lines x = n and z = n. `level` is 1 on level
// ground, and 0 on steep ground, which has a uniform colour except the lines of a grid.
vec3 floor_color(vec2 p, vec2 kept, float level, vec3 color, vec3 line_color) {
#if defined(GRID)
    return mix(color, line_color, grid(p, kept));
#elif defined(PAVING)
    return paving(p, level, color, line_color);
#elif defined(ASPHALT)
    return asphalt(p, level, color);
#elif defined(GRASS)
    return grass(p, level, color);
#elif defined(PIECES)
    return pieces(p, level, color, line_color);
#elif defined(REPEATED)
    return mix(color, slanted_texture(tile, p / tile_size).rgb, level);
#else
    return color;
#endif
}
