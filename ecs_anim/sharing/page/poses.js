// Poses from the coefficients of components. ecs_anim/sharing/pose_basis.py computes equal numbers.

const POSE = 10; // numbers of a joint: translation 3, rotation 4, scale 3

class Poses {
  static async read(box, prefix, facts) {
    const names = ["mean", "dims", "components", "inverse_bind"];
    return new Poses(facts, ...(await Promise.all(names.map((name) => box.array(prefix + name)))));
  }

  constructor(facts, mean, dims, components, inverseBind) {
    this.joints = facts.joints.length;
    this.parents = Int32Array.from(facts.joints, (joint) => joint.parent);
    this.entryJoints = Int32Array.from(facts.entries, (entry) => entry.joint);
    this.mean = mean;
    this.dims = dims;
    this.components = components;
    this.inverseBind = inverseBind;
    this.pose = new Float64Array(mean.length);
    this.local = new Float64Array(12);
    this.coefficients = new Float64Array(facts.components);
  }

  // Compute the pose of `this.coefficients`.
  compose() {
    const { pose, mean, dims, components, coefficients } = this;
    pose.set(mean);
    for (let component = 0, k = 0; component < coefficients.length; component++) {
      const own = coefficients[component];
      for (let dim = 0; dim < dims.length; dim++, k++) pose[dims[dim]] += own * components[k];
    }
  }

  // Blend the pose `before` with the current pose, which has the weight `share`.
  blend(before, share) {
    const { pose } = this;
    for (let joint = 0; joint < this.joints; joint++) {
      const at = POSE * joint, end = at + 7;
      let dot = 0;
      for (let k = at + 3; k < end; k++) dot += pose[k] * before[k];
      for (let k = at; k < at + POSE; k++) {
        const own = dot < 0 && k >= at + 3 && k < end ? -pose[k] : pose[k];
        pose[k] = before[k] + (own - before[k]) * share;
      }
    }
  }

  // Write the joint matrices of the current pose to `model` from the number `at` on: for each joint, 3 rows of 4.
  model(model, at) {
    const { pose, parents, local } = this;
    for (let joint = 0; joint < this.joints; joint++) {
      const parent = parents[joint], target = at + 12 * joint;
      writeMatrix(pose, POSE * joint, local, 0);
      if (parent < 0) for (let k = 0; k < 12; k++) model[target + k] = local[k];
      else multiply(model, at + 12 * parent, local, 0, model, target);
    }
  }

  // Write the skin matrices of joint matrices to `rows`.
  skin(model, from, rows, to) {
    for (let entry = 0; entry < this.entryJoints.length; entry++) {
      multiply(model, from + 12 * this.entryJoints[entry], this.inverseBind, 12 * entry, rows, to + 12 * entry);
    }
  }
}

// Write the matrix of a translation, a rotation and a scale.
function writeMatrix(pose, from, out, to) {
  let x = pose[from + 3], y = pose[from + 4], z = pose[from + 5], w = pose[from + 6];
  const length = Math.max(Math.sqrt(x * x + y * y + z * z + w * w), 1e-6);
  x /= length; y /= length; z /= length; w /= length;
  const sx = pose[from + 7], sy = pose[from + 8], sz = pose[from + 9];
  out[to] = (1 - 2 * (y * y + z * z)) * sx;
  out[to + 1] = 2 * (x * y - z * w) * sy;
  out[to + 2] = 2 * (x * z + y * w) * sz;
  out[to + 3] = pose[from];
  out[to + 4] = 2 * (x * y + z * w) * sx;
  out[to + 5] = (1 - 2 * (x * x + z * z)) * sy;
  out[to + 6] = 2 * (y * z - x * w) * sz;
  out[to + 7] = pose[from + 1];
  out[to + 8] = 2 * (x * z - y * w) * sx;
  out[to + 9] = 2 * (y * z + x * w) * sy;
  out[to + 10] = (1 - 2 * (x * x + y * y)) * sz;
  out[to + 11] = pose[from + 2];
}

// Write the product of two affine matrices. The result must not be one of both matrices.
function multiply(a, i, b, j, out, to) {
  for (let row = 0; row < 12; row += 4) {
    const x = a[i + row], y = a[i + row + 1], z = a[i + row + 2], w = a[i + row + 3];
    for (let column = 0; column < 4; column++) {
      out[to + row + column] = x * b[j + column] + y * b[j + 4 + column] + z * b[j + 8 + column];
    }
    out[to + row + 3] += w;
  }
}
