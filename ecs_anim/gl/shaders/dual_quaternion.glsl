// Weighted sums of rigid motions (as dual quaternions) and of symmetric stretches.
struct Rigid {
    vec4 real, dual;  // quaternions xyzw
};

struct Stretch {
    vec3 diagonal;  // xx, yy, zz
    vec3 across;    // yz, zx, xy
    vec3 offset;
};

// The dual part of a rigid motion is half the translation (as a quaternion) times the rotation.
void add_rigid(inout Rigid sum, vec4 rotation, vec3 translation, float weight) {
    vec3 half_way = (0.5 * weight) * translation;
    sum.real += weight * rotation;
    sum.dual.xyz += rotation.w * half_way + cross(half_way, rotation.xyz);
    sum.dual.w -= dot(half_way, rotation.xyz);
}

void add_stretch(inout Stretch sum, vec3 offset, vec2 xx_yy, vec4 zz_and_across, float weight) {
    sum.diagonal += weight * vec3(xx_yy, zz_and_across.x);
    sum.across += weight * zz_and_across.yzw;
    sum.offset += weight * offset;
}

// Return the matrix that stretches first and then applies the rigid motion.
Affine after(Rigid motion, Stretch s) {
    float inverse = inversesqrt(dot(motion.real, motion.real));
    vec4 q = inverse * motion.real, d = (2.0 * inverse) * motion.dual;
    vec3 move = q.w * d.xyz - d.w * q.xyz + cross(q.xyz, d.xyz);
    vec3 x = vec3(s.diagonal.x, s.across.z, s.across.y);
    vec3 y = vec3(s.across.z, s.diagonal.y, s.across.x);
    vec3 z = vec3(s.across.y, s.across.x, s.diagonal.z);
    vec3 row_x = vec3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y));
    vec3 row_y = vec3(2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x));
    vec3 row_z = vec3(2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
    return Affine(
        vec4(dot(row_x, x), dot(row_x, y), dot(row_x, z), dot(row_x, s.offset) + move.x),
        vec4(dot(row_y, x), dot(row_y, y), dot(row_y, z), dot(row_y, s.offset) + move.y),
        vec4(dot(row_z, x), dot(row_z, y), dot(row_z, z), dot(row_z, s.offset) + move.z)
    );
}
