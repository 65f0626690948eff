// Palettes by a compute shader. Each invocation computes the joints of one actor and then the actor's palette entries.
#include "pose.glsl"

layout(local_size_x = 32) in;  // must equal GROUP in ecs_anim/gl/crowds/pose_compute.py

layout(std430, binding = 0) writeonly buffer PoseTexels {
    vec4 texels[];
} pose_texels;

// For each level of detail: groups to dispatch, 1, 1, items.
layout(std430, binding = 1) readonly buffer PoseWork {
    uvec4 levels[];
} pose_work;

uniform int pose_number;   // number of the level
uniform ivec4 pose_level;  // x first list item; in pose_table: y first item, z joints, w entries after the joints

#ifndef MODEL_SPACE
Affine joints[JOINTS];  // in model space

void traverse(Play play) {
    for (int k = 0; k < pose_level.z; ++k) {
        int joint = texelFetch(pose_table, pose_level.y + k).x;
        ivec4 links = joint_links(joint);
        Affine local = local_joint(play, joint, links.yzw);
        joints[joint] = links.x < 0 ? local : product(joints[links.x], local);
    }
}

Affine visited_entry(Play play, int entry) {
    return product(joints[entry_joint(entry)], inverse_bind(entry));
}
#else
void traverse(Play play) {}
#define visited_entry baked_entry
#endif

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= pose_work.levels[pose_number].w) return;
    uvec2 item = texelFetch(pose_list, pose_level.x + int(index)).xy;
    Posed actor = posed_actor(item.x);
    if (actor.share < 1.0) traverse(actor.play);
    int first = pose_level.y + pose_level.z;
    for (int k = first; k < first + pose_level.w; ++k) {
        int entry = texelFetch(pose_table, k).x;
        Affine m = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
        if (actor.share < 1.0) m = visited_entry(actor.play, entry);
        if (actor.share > 0.0) m = shared_entry(actor, entry, m);
        uint texel = 3u * (item.y * uint(bake_counts.w) + uint(entry));
        pose_texels.texels[texel] = m.x;
        pose_texels.texels[texel + 1u] = m.y;
        pose_texels.texels[texel + 2u] = m.z;
    }
}
