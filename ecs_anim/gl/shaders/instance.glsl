// A drawn actor: the fields of `INSTANCE` in ecs_anim/view/instances.py in this order.
layout(location = 5) in vec4 instance_place;     // xyz translation [m], w uniform scale
layout(location = 6) in vec4 instance_rotation;  // unit quaternion xyzw
layout(location = 7) in vec4 instance_tint;      // rgb linear, a strength
layout(location = 8) in ivec4 instance_numbers;  // x palette and morph row, y actor, z variant, w omitted/255

vec3 rotate(vec4 q, vec3 v) {
    vec3 t = cross(q.xyz, v) + q.w * v;
    return v + 2.0 * cross(q.xyz, t);
}

vec3 instance_point(vec3 p) {
    return instance_place.xyz + instance_place.w * rotate(instance_rotation, p);
}
