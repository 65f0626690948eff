// Vectors are arrays [x, y, z]. Matrices are arrays of 16 numbers, column by column, as WebGL expects.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const size = (a) => Math.sqrt(dot(a, a));
const unit = (a) => scaled(a, 1 / Math.max(size(a), 1e-12));
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function product(a, b) {
  const out = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

// Gauss-Jordan elimination with pivots. The matrix must have an inverse.
function inverse(matrix) {
  const left = matrix.slice();
  const right = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const swap = (m, i, j) => {
    for (let k = 0; k < 4; k++) [m[4 * k + i], m[4 * k + j]] = [m[4 * k + j], m[4 * k + i]];
  };
  for (let step = 0; step < 4; step++) {
    let pivot = step;
    for (let row = step + 1; row < 4; row++) {
      if (Math.abs(left[4 * step + row]) > Math.abs(left[4 * step + pivot])) pivot = row;
    }
    swap(left, step, pivot);
    swap(right, step, pivot);
    const divisor = left[4 * step + step];
    for (let k = 0; k < 4; k++) {
      left[4 * k + step] /= divisor;
      right[4 * k + step] /= divisor;
    }
    for (let row = 0; row < 4; row++) {
      const factor = left[4 * step + row];
      if (row === step || !factor) continue;
      for (let k = 0; k < 4; k++) {
        left[4 * k + row] -= factor * left[4 * k + step];
        right[4 * k + row] -= factor * right[4 * k + step];
      }
    }
  }
  return right;
}

// Return the matrix times a point, as [x, y, z, w].
function transformed(m, p) {
  return [0, 1, 2, 3].map((row) => m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row]);
}

// Rotate a vector by the unit quaternion x, y, z, w at `values[at]`.
function rotated(values, at, v) {
  const q = [values[at], values[at + 1], values[at + 2]];
  const t = add(cross(q, v), scaled(v, values[at + 3]));
  return add(v, scaled(cross(q, t), 2));
}
