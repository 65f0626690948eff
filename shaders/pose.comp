// Palettes by compute: each invocation makes every eighth entry of one actor.
#include "pose.glsl"

layout(local_size_x = 8, local_size_y = 8) in;  // actors, entries

layout(std430, binding = 0) writeonly buffer PoseTexels {
    vec4 texels[];
} pose_texels;

// Of each level of detail: groups to dispatch, 1, 1, items.
layout(std430, binding = 1) readonly buffer PoseWork {
    uvec4 levels[];
} pose_work;

void main() {
    uint place = gl_GlobalInvocationID.x;
    if (place >= pose_work.levels[pose_level.w].w) return;
    uvec2 item = texelFetch(pose_list, pose_level.x + int(place)).xy;
    Posed actor = posed_actor(item.x);
    for (int k = int(gl_LocalInvocationID.y); k < pose_level.z; k += int(gl_WorkGroupSize.y)) {
        int entry = texelFetch(pose_entries, pose_level.y + k).x;
        Affine m = posed_entry(actor, entry);
        uint texel = 3u * (item.y * uint(bake_counts.w) + uint(entry));
        pose_texels.texels[texel] = m.x;
        pose_texels.texels[texel + 1u] = m.y;
        pose_texels.texels[texel + 2u] = m.z;
    }
}
