// Linear blend skinning of instanced meshes.
#include "light.glsl"
#include "shadow_space.glsl"
#include "skin.glsl"
#include "instance.glsl"
#include "morph.glsl"
#include "base_color_inputs.glsl"
#include "tile.glsl"
#include "posed_past.glsl"

layout(location = 0) in vec3 position;  // [model units], bind space
layout(location = 1) in vec3 normal;    // unit vector times NORMAL_UNIT, from ecs_anim/gl/model/vertices.py
const float NORMAL_UNIT = 32767.0;

#ifdef FLAT_NORMALS
#define SHADED flat
#else
#define SHADED smooth
#endif

flat out vec4 tint;      // rgb linear, a strength
SHADED out vec3 sheen;  // light that does not depend on the surface's colour: rim and fog
// Light that a white surface reflects, after fog. If fragments look up the shadows, this is only the light in the
// shadow. If vertices look up the shadows, the value also contains the direct sunlight.
SHADED out vec3 light;
#ifdef DOUBLE_SIDED
SHADED out vec3 back_light;
#endif
#ifdef SHADOWS_BY_VERTEX
#include "sun.glsl"
#endif
#ifdef SHADOWS_BY_FRAGMENT
out vec3 shadow;  // position on the shadow map
SHADED out float sun;
#ifdef DOUBLE_SIDED
SHADED out float back_sun;
#endif
#endif

out vec3 world_position;  // for transform feedback
SHADED out vec3 world_normal;
#ifdef MIRRORS
flat out int mirrored;
#endif
flat out int actor;  // row of the actor for label passes

float open_sky(vec3 n) {
    float ground = frame.ground.z > 0.5 ? instance_place.y : frame.ground.x;
    return openness(world_position.y - ground, n.y);
}

float clear_sky(vec3 n, float fog) {
    return (1.0 - fog) * open_sky(n);
}

#ifdef UNLIT
// An unlit surface receives only fog.
void shade() {
    float fog = fog_amount(world_position);
    light = vec3(1.0 - fog);
    sheen = fog * tone_map(frame.horizon_color.rgb);
    tint = instance_tint;
}
#else
// The shader computes the light per vertex. The triangles of a crowd cover only a few pixels, so light per vertex takes
// half the time of light per fragment. Light without shadows is smooth, so vertices are sufficient. Shadows have sharp
// edges, so fragments look up the shadow map. Fragments do not look up the shadow map if there are no shadows or if the
// actor is only a few pixels high.
void shade() {
    float fog = fog_amount(world_position);
    vec3 rim = rim_light(world_normal, normalize(frame.eye.xyz - world_position));
    sheen = mix(rim, frame.horizon_color.rgb, fog);
    tint = instance_tint;
    float clear = clear_sky(world_normal, fog);
    light = clear * soft_light(world_normal);
#ifdef LAMPS
    light += (1.0 - fog) * lamp_light(world_position, world_normal);
#endif
#ifdef DOUBLE_SIDED
    float back_clear = clear_sky(-world_normal, fog);
    back_light = back_clear * soft_light(-world_normal);
#ifdef LAMPS
    back_light += (1.0 - fog) * lamp_light(world_position, -world_normal);
#endif
#endif
#ifdef SHADOWS_BY_FRAGMENT
    shadow = shadow_position(world_position, world_normal);
    sun = clear * direct_sun(world_normal);
#ifdef DOUBLE_SIDED
    back_sun = back_clear * direct_sun(-world_normal);
#endif
#else
    vec3 straight = frame.sun_color.rgb;
#ifdef SHADOWS_BY_VERTEX
    straight *= sunlit_once(shadow_position(world_position, world_normal));
#endif
    light += (clear * direct_sun(world_normal)) * straight;
#ifdef DOUBLE_SIDED
    back_light += (back_clear * direct_sun(-world_normal)) * straight;
#endif
#endif
}
#endif

#ifdef MOVED
uniform samplerBuffer past;  // previous world positions [m] of vertices, mesh by mesh, actor by actor
uniform int past_first;      // first texel of the mesh
uniform int past_vertices;   // number of vertices of the mesh
out vec3 past_position;
#endif

#ifdef POSED_PAST
out vec3 past_position;
flat out int is_past_known;
#endif

#ifdef FADING
flat out ivec2 fading;  // x omitted fraction of the actor, in 1/255; y number of the actor
#endif

void main() {
    vec3 bound = position, outward = normal / NORMAL_UNIT;
    morph(bound, outward);
    Affine skin = blended_palette();
    world_position = instance_point(transform_point(skin, bound));
#ifdef MIRRORS
    mirrored = int(volume(skin) < 0.0);
#endif
    vec3 turned = rotate(instance_rotation, transform_normal(skin, outward));
    world_normal = turned * inversesqrt(max(dot(turned, turned), 1e-36));
    actor = instance_numbers.y;
    gl_Position = put_into_tile(frame.view_projection * vec4(world_position, 1.0), actor);
#ifdef MOVED
    int texel = past_first + 3 * (actor * past_vertices + gl_VertexID);
    past_position = vec3(texelFetch(past, texel).r, texelFetch(past, texel + 1).r, texelFetch(past, texel + 2).r);
#endif
#ifdef POSED_PAST
    past_position = point_before(bound, actor);
    is_past_known = int(has_past(actor));
#endif
    pass_base_color();
#ifdef FADING
    fading = instance_numbers.wy;
#endif
    shade();
}
