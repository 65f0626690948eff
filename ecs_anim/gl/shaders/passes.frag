// Label passes: numbers for each pixel. ecs_anim/view/label_passes.py defines the images, their order, and the names
// ..._IMAGE and ..._CLASS.
#define SOLID
#include "seen.glsl"
#include "frame.glsl"

#ifdef FLAT_NORMALS
#define SHADED flat
#else
#define SHADED smooth
#endif

#ifdef ACTORS
flat in int actor;                 // row of the actor in its crowd
uniform usamplerBuffer actor_ids;  // id of each row
#endif
#ifdef SURFACE
uniform int surface_class;
#endif
#ifdef PLANE
const vec3 world_normal = vec3(0.0, 1.0, 0.0);
#else
SHADED in vec3 world_normal;
#endif

layout(location = IDS_IMAGE) out uint id;         // 0 = no actor
layout(location = CLASSES_IMAGE) out uint kind;
layout(location = DEPTH_IMAGE) out float depth;  // [m], along the view's axis
layout(location = NORMALS_IMAGE) out vec4 normal;  // unit vector in world space, towards the eye; a: covered
#ifdef PAST
layout(location = PAST_IMAGE) out vec4 was_at;  // xyz previous world position [m], a: known
#if defined(MOVED)
in vec3 past_position;
#elif defined(POSED_PAST)
in vec3 past_position;
flat in int is_past_known;
#elif !defined(ACTORS)
in vec3 world_position;
#endif
#endif

void main() {
    seen_surface();
#ifdef ACTORS
    id = texelFetch(actor_ids, actor).r;
    kind = uint(ACTOR_CLASS);
#else
    id = 0u;
    kind = uint(GROUND_CLASS);
#endif
#ifdef SURFACE
    kind = uint(surface_class);
#endif
#ifdef PAST
#if defined(MOVED)
    was_at = vec4(past_position, 1.0);
#elif defined(POSED_PAST)
    was_at = vec4(past_position, float(is_past_known));
#elif defined(ACTORS)
    was_at = vec4(0.0);
#else
    was_at = vec4(world_position, 1.0);
#endif
#endif
    // w of a perspective projection is the depth
    depth = frame.fog.w > 0.0 ? frame.eye.w + frame.fog.w * gl_FragCoord.z : 1.0 / gl_FragCoord.w;
    vec3 facing = world_normal * inversesqrt(max(dot(world_normal, world_normal), 1e-36));
    normal = vec4(is_front() ? facing : -facing, 1.0);
}
