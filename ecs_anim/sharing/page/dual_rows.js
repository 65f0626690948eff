// Conversion of skin matrices to palette entries for dual quaternion skinning. The formulas and the format of an entry
// are in ecs_anim/assets/dual_palette.py.

const POLAR_STEPS = 8; // iterations of the polar decomposition; usual matrices need three

class DualRows {
  constructor(places, base, entries) {
    Object.assign(this, { places, base, entries });
    this.known = 0; // converted rows of clips
    this.out = new Float32Array(0);
  }

  // Return the entries of all rows, 16 numbers each. The first `clipRows` rows are converted only once.
  of(rows, clipRows) {
    const count = rows.length / (12 * this.entries);
    if (this.out.length < 16 * this.entries * count) {
      const before = this.out;
      this.out = new Float32Array(16 * this.entries * count);
      this.out.set(before);
    }
    for (let row = this.known; row < count; row++) this.convert(rows, row);
    this.known = clipRows;
    return this.out.subarray(0, 16 * this.entries * count);
  }

  convert(rows, row) {
    const parts = [];
    for (let entry = 0; entry < this.entries; entry++) parts.push(polar(rows, 12 * (row * this.entries + entry)));
    for (let entry = 0; entry < this.entries; entry++) {
      const { r, s } = parts[entry], base = parts[this.base[entry]].s;
      const whole = (base[0] + base[4] + base[8]) / 3, c = this.places.subarray(3 * entry, 3 * entry + 3);
      const o = [0, 1, 2].map((k) => whole * c[k] - (s[3 * k] * c[0] + s[3 * k + 1] * c[1] + s[3 * k + 2] * c[2]));
      const from = 12 * (row * this.entries + entry);
      const turned = [0, 1, 2].map((k) => r[3 * k] * o[0] + r[3 * k + 1] * o[1] + r[3 * k + 2] * o[2]);
      const t = turned.map((value, k) => rows[from + 4 * k + 3] - value);
      const values = [...quaternionOf(r), ...t, s[0], ...o, s[4], s[8], s[5], s[6], s[1]];
      this.out.set(values, 16 * (row * this.entries + entry));
    }
  }
}

// Return the rotation `r` and the symmetric stretch `s` of the matrix with three rows of four at `at`, row by row.
function polar(rows, at) {
  const m = [0, 1, 2].flatMap((k) => [rows[at + 4 * k], rows[at + 4 * k + 1], rows[at + 4 * k + 2]]);
  let r = m.slice();
  for (let step = 0; step < POLAR_STEPS; step++) {
    const cofactors = [
      r[4] * r[8] - r[5] * r[7], r[5] * r[6] - r[3] * r[8], r[3] * r[7] - r[4] * r[6],
      r[2] * r[7] - r[1] * r[8], r[0] * r[8] - r[2] * r[6], r[1] * r[6] - r[0] * r[7],
      r[1] * r[5] - r[2] * r[4], r[2] * r[3] - r[0] * r[5], r[0] * r[4] - r[1] * r[3],
    ];
    const determinant = r[0] * cofactors[0] + r[1] * cofactors[1] + r[2] * cofactors[2];
    if (Math.abs(determinant) < 1e-12) {
      r = [1, 0, 0, 0, 1, 0, 0, 0, 1];
      break;
    }
    const next = r.map((value, k) => (value + cofactors[k] / determinant) / 2);
    const moved = Math.max(...next.map((value, k) => Math.abs(value - r[k])));
    r = next;
    if (moved < 1e-7) break;
  }
  if (dot(r.slice(0, 3), cross(r.slice(3, 6), r.slice(6, 9))) < 0) r = r.map((value) => -value);
  const s = new Array(9);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) s[3 * i + j] = r[i] * m[j] + r[3 + i] * m[3 + j] + r[6 + i] * m[6 + j];
  }
  return { r, s };
}

// Return the unit quaternion x, y, z, w of a rotation matrix with nine numbers, row by row.
function quaternionOf(r) {
  const squares = [1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8], 1 - r[0] - r[4] + r[8], 1 + r[0] + r[4] + r[8]];
  const largest = squares.indexOf(Math.max(...squares));
  const q = [
    [squares[0], r[1] + r[3], r[2] + r[6], r[7] - r[5]],
    [r[1] + r[3], squares[1], r[5] + r[7], r[2] - r[6]],
    [r[2] + r[6], r[5] + r[7], squares[2], r[3] - r[1]],
    [r[7] - r[5], r[2] - r[6], r[3] - r[1], squares[3]],
  ][largest];
  const length = Math.hypot(...q);
  return q.map((value) => value / length);
}
