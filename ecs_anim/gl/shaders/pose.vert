// Palettes by transform feedback. Each vertex is a palette entry, and each instance is an actor of the list.
#include "pose.glsl"

uniform ivec2 pose_level;  // x first list item of the level, y first item of pose_table

out vec4 skin_x;
out vec4 skin_y;
out vec4 skin_z;

void main() {
    Affine m = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    int entry = texelFetch(pose_table, pose_level.y + gl_VertexID).x;  // -1 = unused at this level
    if (entry >= 0) {
        Posed actor = posed_actor(texelFetch(pose_list, pose_level.x + gl_InstanceID).x);
        if (actor.share < 1.0) m = baked_entry(actor.play, entry);
        if (actor.share > 0.0) m = shared_entry(actor, entry, m);
    }
    skin_x = m.x;
    skin_y = m.y;
    skin_z = m.z;
    gl_Position = vec4(0.0);
}
