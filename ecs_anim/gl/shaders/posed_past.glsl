// The position that a vertex of a baked crowd had in the previous picture. ecs_anim/gl/crowds/past_poses.py writes the
// data.
#ifdef POSED_PAST
uniform samplerBuffer past_palettes;  // three texels per entry; all entries of an actor follow each other
uniform usamplerBuffer past_actors;   // four texels per actor (`BAKED_ACTOR` of view/instances.py); scale 0: unknown

bool has_past(int actor) {
    return uintBitsToFloat(texelFetch(past_actors, 4 * actor).w) != 0.0;
}

vec3 point_before(vec3 bound, int actor) {
    vec4 place = uintBitsToFloat(texelFetch(past_actors, 4 * actor));
    vec4 turn = uintBitsToFloat(texelFetch(past_actors, 4 * actor + 1));
    Affine sum = Affine(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int i = 0; i < INFLUENCES; ++i) {
        int texel = ENTRY_ROWS * (actor * palette_format.entry_count.x + int(entry_of(i)));
        sum.x += weight_of(i) * texelFetch(past_palettes, texel);
        sum.y += weight_of(i) * texelFetch(past_palettes, texel + 1);
        sum.z += weight_of(i) * texelFetch(past_palettes, texel + 2);
    }
    return place.xyz + place.w * rotate(turn, transform_point(sum, bound));
}
#endif
