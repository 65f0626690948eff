// Visibility and levels of detail, as in ecs_anim/kernels/culling.py. Each invocation processes one actor.
layout(local_size_x = 64) in;

// ecs_anim/gl/crowds/culling.py writes these fields in this order.
layout(std430, binding = 0) readonly buffer CullInput {
    vec4 planes[12];  // six planes of the view, five planes of the shadow map, one plane for the depth [m]
    float pixels;     // size [pixel] of one metre at a distance of one metre
    float pixel_error;
    float stays;
    float half_size;  // [pixel]
    float quarter_size;
    int last_mesh;   // last level with meshes; higher levels are impostors
    int last_level;
    int caster_level;  // -1 = no shadows
    int picture;
    int all_posed;
    int actor_count;
    int level_count;
    int last_ball;
    int spare[3];
    float errors[8];  // [rig units]
    vec4 balls[];     // bounding sphere of each clip; the last sphere is for all poses
} cull;

layout(std430, binding = 1) readonly buffer CullActors { uvec4 texels[]; } actors;  // four per BAKED_ACTOR
layout(std430, binding = 2) buffer CullState { ivec2 levels[]; } state;  // drawn level, posed level; -1 = none
layout(std430, binding = 3) writeonly buffer CullRows { uvec4 texels[]; } rows;     // four per INSTANCE
layout(std430, binding = 4) writeonly buffer CullPoses { uvec2 items[]; } poses;    // actor, palette row
layout(std430, binding = 5) buffer CullCounts { uint counts[]; } found;  // rows and poses of each level; shadow casters

struct Actor {
    vec4 place;  // xyz [m], w scale
    vec4 rotation;
    uvec4 looks;   // tint in two words, clips, variant and share
    vec4 playing;  // phases, fade
};

Actor read_actor(int a) {
    uvec4 last = actors.texels[4 * a + 3];
    return Actor(uintBitsToFloat(actors.texels[4 * a]), uintBitsToFloat(actors.texels[4 * a + 1]),
                 actors.texels[4 * a + 2], uintBitsToFloat(last));
}

uint low(uint word) { return word & 0xffffu; }
uint high(uint word) { return word >> 16; }

// Return whether the pose mixes two clips or two palettes.
bool mixes(Actor actor) {
    uint clips = actor.looks.z;
    float fade = actor.playing.z;
    bool same = low(clips) == high(clips) && actor.playing.x == actor.playing.y;
    return high(actor.looks.w) > 0u || (fade > 0.0 && fade < 1.0 && !same);
}

// Return the bounding sphere [m] of an actor: its clip's sphere, or the last sphere for mixed clips or palettes.
vec4 ball_of(Actor actor) {
    uint clips = actor.looks.z;
    uint clip = actor.playing.z <= 0.0 ? low(clips) : high(clips);
    vec4 ball = cull.balls[mixes(actor) ? cull.last_ball : min(int(clip), cull.last_ball)];
    vec3 v = actor.place.w * ball.xyz;
    vec3 t = cross(actor.rotation.xyz, v) + actor.rotation.w * v;
    return vec4(actor.place.xyz + v + 2.0 * cross(actor.rotation.xyz, t), abs(actor.place.w) * ball.w);
}

float ahead(int plane, vec3 p) { return dot(cull.planes[plane].xyz, p) + cull.planes[plane].w; }

// Return whether all components are finite. Compilers can assume that comparisons never see NaN, so read the bits.
bool is_finite(vec4 v) { return all(lessThan(floatBitsToUint(v) & 0x7fffffffu, uvec4(0x7f800000u))); }

// Return whether a sphere is not completely outside one of the planes.
bool is_inside(int first, int last, vec4 ball) {
    for (int k = first; k < last; ++k) {
        if (ahead(k, ball.xyz) < -ball.w) return false;
    }
    return true;
}

int coarsest(int last, float pixels, float allowed) {
    int level = last;
    while (level > 0 && !(cull.errors[level] * pixels <= allowed)) --level;
    return level;
}

// Return the next level of detail. A finer level is used immediately. A coarser level is used only if its error is
// below the allowed error by a margin.
int next_level(int last, float pixels, float allowed, int before) {
    int level = coarsest(last, pixels, allowed);
    if (before >= 0 && before < level) level = max(before, coarsest(last, pixels, cull.stays * allowed));
    return level;
}

bool is_due(int a, float size, float nearest) {
    if (size < cull.quarter_size * nearest) return ((a + cull.picture) & 3) == 0;
    return size >= cull.half_size * nearest || ((a + cull.picture) & 1) == 0;
}

void write_row(Actor actor, int a, int level) {
    uint at = 4u * (uint(level * cull.actor_count) + atomicAdd(found.counts[2 * level], 1u));
    vec4 tint = vec4(unpackUnorm2x16(actor.looks.x), unpackUnorm2x16(actor.looks.y));
    rows.texels[at] = floatBitsToUint(actor.place);
    rows.texels[at + 1u] = floatBitsToUint(actor.rotation);
    rows.texels[at + 2u] = floatBitsToUint(tint);
    rows.texels[at + 3u] = uvec4(a, a, low(actor.looks.w), 0);
}

void main() {
    int a = int(gl_GlobalInvocationID.x);
    if (a >= cull.actor_count) return;
    Actor actor = read_actor(a);
    vec4 ball = ball_of(actor);
    ivec2 before = state.levels[a];
    bool placed = is_finite(ball);
    bool seen = placed && is_inside(0, 6, ball), casts = placed && cull.caster_level >= 0 && is_inside(6, 11, ball);
    int drawn = -1, held = -1;
    if (seen || casts) {
        float nearest = max(ahead(11, ball.xyz) - ball.w, 0.0);
        int last = min(mixes(actor) ? min(cull.last_mesh, cull.last_level) : cull.last_level, cull.level_count - 1);
        if (seen) drawn = next_level(last, cull.pixels * abs(actor.place.w), cull.pixel_error * nearest, before.x);
        int needed = !seen ? cull.caster_level : casts ? min(drawn, cull.caster_level) : drawn;
        held = before.y;
        bool due = is_due(a, 2.0 * ball.w * cull.pixels, nearest);
        if (needed > cull.last_mesh) {
            held = needed;
        } else if (cull.all_posed != 0 || held < 0 || needed < held || high(actor.looks.w) > 0u || due) {
            held = needed;
            uint at = atomicAdd(found.counts[2 * needed + 1], 1u);
            poses.items[uint(needed * cull.actor_count) + at] = uvec2(a);
        }
        if (seen) write_row(actor, a, drawn);
        if (casts) write_row(actor, a, cull.level_count);
    }
    state.levels[a] = ivec2(drawn, held);
}
