// A soft shadow on the ground below every actor: a quad that holds a disc. Where no shadow map shows what the sun
// does, it is drawn out away from the sun.
#include "light.glsl"
#include "instance.glsl"

uniform float radius;  // [m], for an actor of scale 1

out vec2 place;           // from the actor's feet, x away from the sun, in radii
flat out float reach;     // length of the drawn-out part, in radii
flat out float below;     // 0 to 1, how dark it is right below
flat out float streak;    // and in the drawn-out part

void main() {
    vec3 sun = frame.sun_direction.xyz;
    float flat_length = length(sun.xz);
    vec2 away = flat_length > 1e-4 ? -sun.xz / flat_length : vec2(0.0, 1.0);
    float mapped = frame.shadow.z;
    reach = (1.0 - mapped) * min(2.4 * flat_length / max(sun.y, 0.1), 5.0);
    float size = radius * instance_place.w;
    float height = abs(instance_place.y - frame.ground.x);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    place = vec2(mix(-1.6, reach + 1.6, corner.x), mix(-1.6, 1.6, corner.y));
    vec2 offset = size * (place.x * away + place.y * vec2(away.y, -away.x));
    vec3 world = vec3(instance_place.x + offset.x, frame.ground.x, instance_place.z + offset.y);
    float strength = exp2(-1.5 * height / max(size, 1e-4)) * (1.0 - fog_amount(world));
    below = strength * mix(0.5, 0.4, mapped);
    streak = strength * mix(0.42, 0.0, mapped);
    gl_Position = frame.view_projection * vec4(world, 1.0);
}
