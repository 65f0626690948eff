// This shader converts the counts of cull.comp to draw commands and to dispatch counts for the palette pass. It also
// resets the counts.
layout(local_size_x = 1) in;

layout(std430, binding = 0) buffer CullCounts { uint counts[]; } found;  // rows and poses of each level; shadow casters
layout(std430, binding = 1) readonly buffer CullSegments { int levels[]; } segments;  // segment of each command

struct DrawElementsIndirectCommand {
    uint count, instance_count, first_index;
    int base_vertex;
    uint base_instance;
};
layout(std430, binding = 2) buffer CullCommands { DrawElementsIndirectCommand list[]; } commands;
layout(std430, binding = 3) writeonly buffer CullWork { uvec4 levels[]; } work;  // groups, 1, 1, items

uniform ivec3 cull_sizes;  // levels, actors, items per group of the palette pass

void main() {
    for (int k = 0; k < commands.list.length(); ++k) {
        commands.list[k].instance_count = found.counts[2 * segments.levels[k]];
        commands.list[k].base_instance = uint(segments.levels[k] * cull_sizes.y);
    }
    for (int level = 0; level < cull_sizes.x; ++level) {
        uint items = found.counts[2 * level + 1], group = uint(cull_sizes.z);
        work.levels[level] = uvec4((items + group - 1u) / group, 1u, 1u, items);
    }
    for (int k = 0; k < 2 * cull_sizes.x + 2; ++k) found.counts[k] = 0u;
}
