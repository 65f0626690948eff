// The palette pass: skin matrices of the actors on a list. Buffers and levels: ecs_anim/gl/pose_inputs.py.
#include "bake.glsl"

uniform usamplerBuffer pose_actors;   // four texels an actor, `BAKED_ACTOR` of ecs_anim/instances.py
uniform usamplerBuffer pose_list;     // x actor, y slot: where in the palettes the actor's are
uniform isamplerBuffer pose_entries;  // palette entries of each level of detail
uniform samplerBuffer pose_near;      // palettes from the CPU, three texels an entry
uniform ivec4 pose_level;             // x its first item of the list, y of pose_entries, z how many of these, w its number

struct Posed {
    Play play;
    int near;     // first texel of its palette from the CPU
    float share;  // of that
};

Posed posed_actor(uint actor) {
    uvec2 looks = texelFetch(pose_actors, 4 * int(actor) + 2).zw;
    uvec4 plays = texelFetch(pose_actors, 4 * int(actor) + 3);
    ivec2 clips = ivec2(looks.x & 0xffffu, looks.x >> 16);
    Play play = play(clips, uintBitsToFloat(plays.xy), uintBitsToFloat(plays.z));
    return Posed(play, 3 * int(plays.w) * bake_counts.w, float(looks.y >> 16) / 65535.0);
}

Affine posed_entry(Posed actor, int entry) {
    if (actor.share <= 0.0) return baked_entry(actor.play, entry);
    int texel = actor.near + 3 * entry;
    Affine near = Affine(
        texelFetch(pose_near, texel), texelFetch(pose_near, texel + 1), texelFetch(pose_near, texel + 2)
    );
    return actor.share < 1.0 ? between(baked_entry(actor.play, entry), near, actor.share) : near;
}
