// Offsets of figures and morph targets, added before skinning. ecs_anim/gl/model/morphs.py writes the data in this
// order.
#include "instance.glsl"

#ifdef FIGURES
uniform samplerBuffer figure_deltas;  // two texels (position, normal) per vertex of each figure
uniform ivec2 figure_mesh;            // number of figures, number of vertices

void take_figure(inout vec3 point, inout vec3 normal) {
    int texel = 2 * ((instance_numbers.z % figure_mesh.x) * figure_mesh.y + gl_VertexID);
    point += texelFetch(figure_deltas, texel).xyz;
    normal += texelFetch(figure_deltas, texel + 1).xyz;
}
#else
void take_figure(inout vec3 point, inout vec3 normal) {}
#endif

#ifdef MORPHS
uniform samplerBuffer morph_deltas;   // two texels (position, normal) per vertex of each target
uniform samplerBuffer morph_weights;  // used morph targets of each actor: x target, y weight; x = -1 ends a list
uniform int morph_stride;             // texels per actor; 0 = no morph targets
uniform ivec3 morph_mesh;             // first morph target of the mesh in the rig, target count, vertex count

void morph(inout vec3 point, inout vec3 normal) {
    take_figure(point, normal);
    for (int i = 0; i < morph_stride; ++i) {
        vec2 used = texelFetch(morph_weights, instance_numbers.x * morph_stride + i).xy;
        if (used.x < 0.0) break;
        int target = int(used.x) - morph_mesh.x;
        if (target < 0 || target >= morph_mesh.y) continue;  // morph target of another mesh
        int texel = 2 * (target * morph_mesh.z + gl_VertexID);
        point += used.y * texelFetch(morph_deltas, texel).xyz;
        normal += used.y * texelFetch(morph_deltas, texel + 1).xyz;
    }
}
#else
void morph(inout vec3 point, inout vec3 normal) {
    take_figure(point, normal);
}
#endif
