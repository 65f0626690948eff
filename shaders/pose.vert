// Palettes by transform feedback: a vertex is a palette entry, an instance an actor of the list.
#include "pose.glsl"

out vec4 skin_x;
out vec4 skin_y;
out vec4 skin_z;

void main() {
    uint actor = texelFetch(pose_list, pose_level.x + gl_InstanceID).x;
    int entry = texelFetch(pose_entries, pose_level.y + gl_VertexID).x;  // -1 where the level does without it
    Affine m = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    if (entry >= 0) m = posed_entry(posed_actor(actor), entry);
    skin_x = m.x;
    skin_y = m.y;
    skin_z = m.z;
    gl_Position = vec4(0.0);
}
