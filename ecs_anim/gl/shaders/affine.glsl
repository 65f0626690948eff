// Affine matrices with three rows.
struct Affine {
    vec4 x, y, z;
};

vec4 product_row(vec4 row, Affine b) {
    return row.x * b.x + row.y * b.y + row.z * b.z + vec4(0.0, 0.0, 0.0, row.w);
}

// Apply b first, then a.
Affine product(Affine a, Affine b) {
    return Affine(product_row(a.x, b), product_row(a.y, b), product_row(a.z, b));
}

// Interpolate from a to b.
Affine between(Affine a, Affine b, float share) {
    return Affine(mix(a.x, b.x, share), mix(a.y, b.y, share), mix(a.z, b.z, share));
}

vec3 transform_point(Affine m, vec3 p) {
    vec4 h = vec4(p, 1.0);
    return vec3(dot(m.x, h), dot(m.y, h), dot(m.z, h));
}

// The determinant is negative for a map that mirrors.
float volume(Affine m) {
    return dot(m.x.xyz, cross(m.y.xyz, m.z.xyz));
}

// Normals are multiplied by the inverse transpose: the cofactor matrix divided by the determinant. The result is
// normalised, so only the sign of the determinant has an effect.
vec3 transform_normal(Affine m, vec3 n) {
    vec3 yz = cross(m.y.xyz, m.z.xyz);
    vec3 zx = cross(m.z.xyz, m.x.xyz);
    vec3 xy = cross(m.x.xyz, m.y.xyz);
    vec3 turned = vec3(dot(yz, n), dot(zx, n), dot(xy, n));
    return dot(m.x.xyz, yz) < 0.0 ? -turned : turned;
}
