// A soft shadow on the ground below every actor. The shadow is a disc on a quad. Without a shadow map, the shadow is
// stretched away from the sun.
#include "light.glsl"
#include "instance.glsl"

uniform samplerBuffer contacts;  // ground below each actor: x height [m], yzw unit normal, facing up
uniform int ground;              // 0: the ground plane, 1: contacts, 2: horizontal ground at the actor

uniform float radius;  // [m], at scale 1
const float LIFT = 0.15;  // [m], offset towards the eye, so that curved ground does not hide the shadow

out vec2 from_feet;     // from the actor's feet, x away from the sun, in radii
flat out float reach;   // length of the stretched part, in radii
flat out float below;   // 0 to 1, darkness directly below
flat out float streak;  // 0 to 1, darkness in the stretched part

vec4 ground_below() {
    if (ground == 1) return texelFetch(contacts, gl_InstanceID);
    return vec4(ground == 0 ? frame.ground.x : instance_place.y, 0.0, 1.0, 0.0);
}

vec3 on_ground(vec4 below_feet, vec2 offset) {
    float rise = -dot(below_feet.yw, offset) / max(below_feet.z, 0.2);
    return vec3(instance_place.x + offset.x, below_feet.x + rise, instance_place.z + offset.y);
}

void main() {
    vec3 sun = frame.sun_direction.xyz;
    float flat_length = length(sun.xz);
    vec2 away = flat_length > 1e-4 ? -sun.xz / flat_length : vec2(0.0, 1.0);
    float mapped = frame.shadow.z;
    reach = (1.0 - mapped) * min(2.4 * flat_length / max(sun.y, 0.1), 5.0);
    float size = radius * instance_place.w;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    from_feet = vec2(mix(-1.6, reach + 1.6, corner.x), mix(-1.6, 1.6, corner.y));
    vec4 below_feet = ground_below();
    vec3 world = on_ground(below_feet, size * (from_feet.x * away + from_feet.y * vec2(away.y, -away.x)));
    float height = abs(instance_place.y - below_feet.x);
    float strength = exp2(-1.5 * height / max(size, 1e-4)) * (1.0 - fog_amount(world)) * (1.0 - float(instance_numbers.w) / 255.0);
    below = strength * mix(0.5, 0.4, mapped);
    streak = strength * mix(0.42, 0.0, mapped);
    vec3 to_eye = frame.eye.xyz - world;
    float far = length(to_eye);
    gl_Position = frame.view_projection * vec4(world + min(LIFT, 0.5 * far) / far * to_eye, 1.0);
}
