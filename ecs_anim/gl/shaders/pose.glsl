// The palette pass: it computes the skin matrices of a list of actors. Buffers: ecs_anim/gl/crowds/pose_inputs.py.
#include "bake.glsl"

uniform usamplerBuffer pose_actors;   // four texels per actor, `BAKED_ACTOR` of ecs_anim/view/instances.py
uniform usamplerBuffer pose_list;     // x actor, y palette row
uniform samplerBuffer pose_near;      // palettes from the CPU, three texels per entry
uniform isamplerBuffer pose_table;    // joints and palette entries of each level of detail

struct Posed {
    Play play;
    int near;     // first texel of the actor's palette from the CPU
    float share;  // weight of this palette
};

Posed posed_actor(uint actor) {
    uvec2 looks = texelFetch(pose_actors, 4 * int(actor) + 2).zw;
    uvec4 plays = texelFetch(pose_actors, 4 * int(actor) + 3);
    ivec2 clips = ivec2(looks.x & 0xffffu, looks.x >> 16);
    Play played = play(clips, uintBitsToFloat(plays.xy), uintBitsToFloat(plays.z));
    return Posed(played, 3 * int(plays.w) * bake_counts.w, float(looks.y >> 16) / 65535.0);
}

// Return the palette entry from the bake, interpolated with the palette entry from the CPU.
Affine shared_entry(Posed actor, int entry, Affine baked) {
    int texel = actor.near + 3 * entry;
    vec4 x = texelFetch(pose_near, texel), y = texelFetch(pose_near, texel + 1), z = texelFetch(pose_near, texel + 2);
    return between(baked, Affine(x, y, z), actor.share);
}
