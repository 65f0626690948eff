// Linear blend skinning of instanced meshes.
#include "light.glsl"
#include "shadow_space.glsl"
#include "skin.glsl"
#include "instance.glsl"
#include "morph.glsl"
#include "texture_place.glsl"

layout(location = 0) in vec3 position;  // [model units], bind space
layout(location = 1) in vec3 normal;    // unit times NORMAL_UNIT, as ecs_anim/gl/vertices.py packs it
const float NORMAL_UNIT = 32767.0;

#ifdef FLAT_NORMALS
#define SHADED flat
#else
#define SHADED smooth
#endif

flat out vec4 tint;      // rgb linear, a how much of it
SHADED out vec3 light;  // that a white surface throws back in the shadow, fog taken off; where it is FAR, all light
SHADED out vec3 sheen;  // that adds to it whatever the surface's colour: rim and fog
#ifdef FAR
#include "sun.glsl"
#else
out vec3 shadow;        // place on the sun's map
SHADED out float sun;   // share of the sun that comes straight from it, fog taken off
#ifdef DOUBLE_SIDED
SHADED out vec3 back_light;
SHADED out float back_sun;
#endif
#endif

out vec3 world_position;  // for transform feedback
SHADED out vec3 world_normal;
flat out int actor;  // for passes

float open_sky(vec3 n) {
    float ground = frame.ground.z > 0.5 ? instance_place.y : frame.ground.x;
    return openness(world_position.y - ground, n.y);
}

// Shading is done by vertex: crowds have triangles of a few pixels, for which this costs half of what
// shading by fragment does, and the light here has no sharp features that vertices would miss. Shadows have:
// fragments look them up, unless the whole actor is but a few pixels high.
void shade() {
    float fog = fog_amount(world_position);
    vec3 to_eye = normalize(frame.eye.xyz - world_position);
    sheen = mix(rim_light(world_normal, to_eye), frame.horizon_color.rgb, fog);
    tint = instance_tint;
    vec3 place = shadow_place(world_position, world_normal);
#ifdef FAR
    vec3 seen = world_normal;
#ifdef DOUBLE_SIDED
    if (dot(seen, to_eye) < 0.0) seen = -seen;
#endif
    float direct = sunlit_once(place) * direct_sun(seen);
    light = (1.0 - fog) * open_sky(seen) * (soft_light(seen) + direct * frame.sun_color.rgb);
#else
    shadow = place;
    float clear = (1.0 - fog) * open_sky(world_normal);
    light = clear * soft_light(world_normal);
    sun = clear * direct_sun(world_normal);
#ifdef DOUBLE_SIDED
    float back_clear = (1.0 - fog) * open_sky(-world_normal);
    back_light = back_clear * soft_light(-world_normal);
    back_sun = back_clear * direct_sun(-world_normal);
#endif
#endif
}

void main() {
    vec3 bound = position, outward = normal / NORMAL_UNIT;
    morph(bound, outward);
    Affine skin = blended_palette();
    world_position = instance_point(transform_point(skin, bound));
    vec3 turned = rotate(instance_rotation, transform_normal(skin, outward));
    world_normal = turned * inversesqrt(max(dot(turned, turned), 1e-36));
    gl_Position = frame.view_projection * vec4(world_position, 1.0);
    actor = instance_numbers.y;
    place_texture();
    shade();
}
