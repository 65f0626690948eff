// Skin palettes in a texture buffer: three texels (matrix rows) an entry, all entries of an actor in a row.
uniform samplerBuffer palettes;
uniform int palette_count;  // entries of one actor

struct Affine {
    vec4 x, y, z;  // rows of a 3 x 4 matrix
};

Affine palette_entry(int entry) {
    int texel = 3 * (gl_InstanceID * palette_count + entry);
    return Affine(texelFetch(palettes, texel), texelFetch(palettes, texel + 1), texelFetch(palettes, texel + 2));
}

void add_scaled(inout Affine sum, Affine m, float weight) {
    sum.x += weight * m.x;
    sum.y += weight * m.y;
    sum.z += weight * m.z;
}

vec3 transform_point(Affine m, vec3 p) {
    vec4 h = vec4(p, 1.0);
    return vec3(dot(m.x, h), dot(m.y, h), dot(m.z, h));
}

// Normals go by the inverse transpose: the cofactors over the determinant, of which only the sign matters here.
vec3 transform_normal(Affine m, vec3 n) {
    vec3 yz = cross(m.y.xyz, m.z.xyz);
    vec3 zx = cross(m.z.xyz, m.x.xyz);
    vec3 xy = cross(m.x.xyz, m.y.xyz);
    vec3 turned = vec3(dot(yz, n), dot(zx, n), dot(xy, n));
    return dot(m.x.xyz, yz) < 0.0 ? -turned : turned;
}
