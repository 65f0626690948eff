// Affine matrices of three rows.
struct Affine {
    vec4 x, y, z;
};

vec4 product_row(vec4 row, Affine b) {
    return row.x * b.x + row.y * b.y + row.z * b.z + vec4(0.0, 0.0, 0.0, row.w);
}

// b first, then a.
Affine product(Affine a, Affine b) {
    return Affine(product_row(a.x, b), product_row(a.y, b), product_row(a.z, b));
}

// From a to b.
Affine between(Affine a, Affine b, float share) {
    return Affine(mix(a.x, b.x, share), mix(a.y, b.y, share), mix(a.z, b.z, share));
}
