// Poses from a bake, computed as in ecs_anim/kernels/sampling.py. Tables: ecs_anim/gl/crowds/bake_tables.py. RANGED:
// rows contain codes relative to a clip's ranges. NEAREST_ROW: rows are not interpolated. MODEL_SPACE: rows contain
// skin matrices.
#include "affine.glsl"

uniform samplerBuffer bake_rows;     // one texel: xyzw of a rotation, xyz of a translation or a scale
uniform samplerBuffer bake_ranges;   // offset and scale of each clip's texels
uniform isamplerBuffer bake_tables;  // clips: first row, intervals; joints: parent, three texel numbers; entries: joint
uniform samplerBuffer bake_rig;      // rest joints: rotation, translation, scale; entries: inverse bind, position
uniform ivec4 bake_counts;           // x texels of a row, y clips, z joints, w palette entries

// Position of a clip's time in the table of rows.
struct Moment {
    int before, after;  // first texels of the rows before and after the time
    float share;        // interpolation factor of the second row
    int range;          // first texel of the clip's ranges
};

struct Play {
    Moment to, from;
    float fade;       // weight of the clip `to`, which plays after the fade
    int first, last;  // used clips from first to last - 1: 0 is the clip after the fade, 1 is the clip before the fade
};

Moment moment(int clip, float phase) {
    ivec2 rows = texelFetch(bake_tables, clip).xy;
    float at = phase * float(rows.y);
#ifdef NEAREST_ROW
    at += 0.5;
#endif
    int row = clamp(int(at), 0, max(rows.y - 1, 0));
    int next = min(row + 1, rows.y);
    float share = clamp(at - float(row), 0.0, 1.0);
#ifdef NEAREST_ROW
    row = share < 1.0 ? row : next;
#endif
    return Moment((rows.x + row) * bake_counts.x, (rows.x + next) * bake_counts.x, share, 2 * clip * bake_counts.x);
}

// Two clips of the bake, and their phases.
Play play(ivec2 clips, vec2 phases, float fade) {
    fade = clips.x == clips.y && phases.x == phases.y ? 1.0 : clamp(fade, 0.0, 1.0);
    Moment to = moment(clips.y, phases.y), from = moment(clips.x, phases.x);
    return Play(to, from, fade, fade > 0.0 ? 0 : 1, fade < 1.0 ? 2 : 1);
}

vec4 row_texel(Moment at, int column) {
    vec4 value = texelFetch(bake_rows, at.before + column);
#ifndef NEAREST_ROW
    value += (texelFetch(bake_rows, at.after + column) - value) * at.share;
#endif
#ifdef RANGED
    int range = at.range + 2 * column;
    value = texelFetch(bake_ranges, range) + texelFetch(bake_ranges, range + 1) * value;
#endif
    return value;
}

Moment nth(Play play, int k) {
    return k == 0 ? play.to : play.from;
}

float weight(Play play, int k) {
    return k == 0 ? play.fade : 1.0 - play.fade;
}

// The function loops over one or two clips, because software renderers execute both branches of an `if`.
vec4 mixed_texel(Play play, int column) {
    vec4 sum = vec4(0.0);
    for (int k = play.first; k < play.last; ++k) sum += weight(play, k) * row_texel(nth(play, k), column);
    return sum;
}

#ifdef MODEL_SPACE
// The stored matrices are relative to the bind position of the joint.
Affine baked_entry(Play play, int entry) {
    Affine m = Affine(mixed_texel(play, 3 * entry), mixed_texel(play, 3 * entry + 1), mixed_texel(play, 3 * entry + 2));
    vec3 bound = texelFetch(bake_rig, 3 * bake_counts.z + 4 * entry + 3).xyz;
    vec3 moved = vec3(dot(m.x.xyz, bound), dot(m.y.xyz, bound), dot(m.z.xyz, bound));
    return Affine(m.x - vec4(vec3(0.0), moved.x), m.y - vec4(vec3(0.0), moved.y), m.z - vec4(vec3(0.0), moved.z));
}
#else
vec4 mixed_rotation(Play play, int column) {
    vec4 sum = vec4(0.0);
    for (int k = play.first; k < play.last; ++k) {
        vec4 q = row_texel(nth(play, k), column);
        sum += (dot(q, sum) < 0.0 ? -weight(play, k) : weight(play, k)) * q;
    }
    return sum * inversesqrt(max(dot(sum, sum), 1e-36));
}

// Scale, then rotate, then translate.
Affine composed(vec4 q, vec3 move, vec3 scale) {
    vec3 twice = 2.0 * q.xyz;
    vec3 square = q.xyz * twice, cross_term = q.xyz * twice.yzx, turn = q.w * twice;  // xy yz zx
    return Affine(
        vec4(vec3(1.0 - square.y - square.z, cross_term.x - turn.z, cross_term.z + turn.y) * scale, move.x),
        vec4(vec3(cross_term.x + turn.z, 1.0 - square.x - square.z, cross_term.y - turn.x) * scale, move.y),
        vec4(vec3(cross_term.z - turn.y, cross_term.y + turn.x, 1.0 - square.x - square.y) * scale, move.z)
    );
}

// Return the matrix of a joint in its parent's space. `columns` are the texel numbers of rotation, translation and
// scale; -1 = the rest value.
Affine local_joint(Play play, int joint, ivec3 columns) {
    int rest = 3 * joint;
    vec4 q = columns.x < 0 ? texelFetch(bake_rig, rest) : mixed_rotation(play, columns.x);
    vec3 move = (columns.y < 0 ? texelFetch(bake_rig, rest + 1) : mixed_texel(play, columns.y)).xyz;
    vec3 scale = (columns.z < 0 ? texelFetch(bake_rig, rest + 2) : mixed_texel(play, columns.z)).xyz;
    return composed(q, move, scale);
}

Affine inverse_bind(int entry) {
    int texel = 3 * bake_counts.z + 4 * entry;
    return Affine(texelFetch(bake_rig, texel), texelFetch(bake_rig, texel + 1), texelFetch(bake_rig, texel + 2));
}

// Return the parent joint in x, and the texel numbers of rotation, translation and scale in y, z and w.
ivec4 joint_links(int joint) {
    return texelFetch(bake_tables, bake_counts.y + joint);
}

int entry_joint(int entry) {
    return texelFetch(bake_tables, bake_counts.y + bake_counts.z + entry).x;
}

// Multiply the matrices from the entry's joint up to the root. Shaders that cannot store all joints use this function.
Affine baked_entry(Play play, int entry) {
    int joint = entry_joint(entry);
    Affine m = inverse_bind(entry);
    while (joint >= 0) {
        ivec4 links = joint_links(joint);
        m = product(local_joint(play, joint, links.yzw), m);
        joint = min(links.x, joint - 1);  // parents come first, so the loop ends for all tables
    }
    return m;
}
#endif
