/* The reference implementation of the benchmark `pose`: samples, blends, composes and skins two clips, actor by actor. */

#include <math.h>

typedef struct { float rotation[4], translation[3], scale[3]; } Joint;

static void mix(const Joint *a, const Joint *b, float share, Joint *out)
{
    float along = 0;
    for (int i = 0; i < 4; i++) along += a->rotation[i] * b->rotation[i];
    float sign = along < 0 ? -share : share;
    for (int i = 0; i < 4; i++) out->rotation[i] = a->rotation[i] * (1 - share) + b->rotation[i] * sign;
    for (int i = 0; i < 3; i++) {
        out->translation[i] = a->translation[i] + (b->translation[i] - a->translation[i]) * share;
        out->scale[i] = a->scale[i] + (b->scale[i] - a->scale[i]) * share;
    }
}

static void sample(const Joint *rows, int joint_count, int interval_count, float phase, int joint, Joint *out)
{
    float at = phase * interval_count;
    int row = (int)at;
    if (row > interval_count - 1) row = interval_count - 1;
    mix(rows + row * joint_count + joint, rows + (row + 1) * joint_count + joint, at - row, out);
}

static void compose(const Joint *j, float *m)
{
    float x = j->rotation[0], y = j->rotation[1], z = j->rotation[2], w = j->rotation[3];
    float unit = 1 / sqrtf(x * x + y * y + z * z + w * w);
    x *= unit; y *= unit; z *= unit; w *= unit;
    const float *s = j->scale, *t = j->translation;
    m[0] = (1 - 2 * (y * y + z * z)) * s[0]; m[1] = 2 * (x * y - w * z) * s[1]; m[2] = 2 * (x * z + w * y) * s[2];
    m[4] = 2 * (x * y + w * z) * s[0]; m[5] = (1 - 2 * (x * x + z * z)) * s[1]; m[6] = 2 * (y * z - w * x) * s[2];
    m[8] = 2 * (x * z - w * y) * s[0]; m[9] = 2 * (y * z + w * x) * s[1]; m[10] = (1 - 2 * (x * x + y * y)) * s[2];
    m[3] = t[0]; m[7] = t[1]; m[11] = t[2];
}

static void multiply(const float *a, const float *b, float *out)
{
    for (int row = 0; row < 12; row += 4)
        for (int column = 0; column < 4; column++)
            out[row + column] = a[row] * b[column] + a[row + 1] * b[4 + column] + a[row + 2] * b[8 + column]
                              + (column == 3 ? a[row + 3] : 0);
}

/* rows_a, rows_b [interval_count + 1, joint_count]; phase, share [actor_count]; out [actor_count, palette_count, 12]. */
void pose_crowd(const Joint *rows_a, int intervals_a, const Joint *rows_b, int intervals_b, int joint_count,
                const int *parents, int palette_count, const int *skin_joints, const float *inverse_bind,
                int actor_count, const float *phase, const float *share, float *model, float *out)
{
    for (int actor = 0; actor < actor_count; actor++) {
        for (int joint = 0; joint < joint_count; joint++) {
            Joint a, b, mixed;
            float local[12], *own = model + 12 * joint;
            sample(rows_a, joint_count, intervals_a, phase[actor], joint, &a);
            sample(rows_b, joint_count, intervals_b, phase[actor], joint, &b);
            mix(&a, &b, share[actor], &mixed);
            compose(&mixed, local);
            if (parents[joint] < 0)
                for (int i = 0; i < 12; i++) own[i] = local[i];
            else
                multiply(model + 12 * parents[joint], local, own);
        }
        for (int entry = 0; entry < palette_count; entry++)
            multiply(model + 12 * skin_joints[entry], inverse_bind + 12 * entry,
                     out + 12 * ((long)actor * palette_count + entry));
    }
}
