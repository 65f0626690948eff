// Drawing of actors in the tiles of a page. The pixels of an actor are equal in its tile and in the picture. See
// ecs_anim/view/silhouettes.py.
#ifdef TILED
uniform isamplerBuffer tiles;  // two texels per actor: lowest corner in the picture, size; lowest corner on the page
uniform vec4 page_sizes;       // [pixel], xy of the picture, zw of the page

out float gl_ClipDistance[4];

vec4 put_into_tile(vec4 seen, int actor) {
    ivec4 tile = texelFetch(tiles, 2 * actor);
    vec2 low = vec2(tile.xy), high = vec2(tile.xy + tile.zw), moved = vec2(texelFetch(tiles, 2 * actor + 1).xy) - low;
    vec2 pixel = 0.5 * page_sizes.xy * (seen.xy + seen.w);  // this value and all following values are multiplied by w
    gl_ClipDistance[0] = pixel.x - low.x * seen.w;
    gl_ClipDistance[1] = high.x * seen.w - pixel.x;
    gl_ClipDistance[2] = pixel.y - low.y * seen.w;
    gl_ClipDistance[3] = high.y * seen.w - pixel.y;
    return vec4(2.0 * (pixel + moved * seen.w) / page_sizes.zw - seen.w, seen.zw);
}
#else
vec4 put_into_tile(vec4 seen, int actor) {
    return seen;
}
#endif
