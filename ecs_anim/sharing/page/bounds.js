// Bounding balls of actors in the world: x, y, z and radius [m].

// Balls of baked crowds: one ball for each clip, and a last ball for all poses.
class ClipBalls {
  constructor(balls) {
    this.balls = balls;
    this.last = balls.length / 4 - 1;
  }

  // Write the ball of an actor at the number `at` of `placement`. `clip` is the number of its clip, or -1 for a mixture.
  write(placement, at, clip, ball) {
    const from = 4 * (clip < 0 ? this.last : Math.min(clip, this.last));
    const { balls } = this;
    placeBall(placement, at, balls[from], balls[from + 1], balls[from + 2], balls[from + 3], ball);
  }
}

// Boxes of the poses in a table of rows, from balls around the vertices that each palette entry moves. A box has the
// lowest x, y, z and the highest x, y, z [rig unit].
class RowBoxes {
  constructor(entries, balls, rowEntries) {
    Object.assign(this, { entries, balls, rowEntries });
    this.boxes = new Float32Array(0);
    this.known = 0; // boxes of clip rows are computed only once
    this.box = new Float64Array(6);
  }

  // Compute the boxes of all rows. The first `clipRows` rows never change.
  fill(rows, count, clipRows) {
    if (this.boxes.length < 6 * count) {
      const before = this.boxes;
      this.boxes = new Float32Array(6 * count);
      this.boxes.set(before);
    }
    for (let row = this.known; row < count; row++) this.fillRow(rows, row);
    this.known = clipRows;
  }

  fillRow(rows, row) {
    const { entries, balls, boxes, rowEntries } = this, to = 6 * row;
    for (let axis = 0; axis < 3; axis++) {
      boxes[to + axis] = Infinity;
      boxes[to + 3 + axis] = -Infinity;
    }
    for (let k = 0; k < entries.length; k++) {
      const at = 12 * (row * rowEntries + entries[k]), x = balls[4 * k], y = balls[4 * k + 1], z = balls[4 * k + 2];
      const radius = balls[4 * k + 3] * stretch(rows, at);
      for (let axis = 0; axis < 3; axis++) {
        const m = at + 4 * axis, middle = rows[m] * x + rows[m + 1] * y + rows[m + 2] * z + rows[m + 3];
        boxes[to + axis] = Math.min(boxes[to + axis], middle - radius);
        boxes[to + 3 + axis] = Math.max(boxes[to + 3 + axis], middle + radius);
      }
    }
  }

  // Write the ball of an actor whose pose is a mixture of the rows of two plays.
  write(placement, at, plays, from, ball) {
    const { box } = this;
    box.fill(Infinity, 0, 3).fill(-Infinity, 3);
    for (let play = from; play < from + 8; play += 4) {
      if (!(plays[play + 3] > 0)) continue;
      this.include(plays[play]);
      if (plays[play + 2] > 0) this.include(plays[play + 1]);
    }
    const radius = Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]) / 2;
    placeBall(placement, at, (box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2, radius, ball);
  }

  include(row) {
    const { box, boxes } = this, from = 6 * row;
    for (let axis = 0; axis < 3; axis++) {
      box[axis] = Math.min(box[axis], boxes[from + axis]);
      box[3 + axis] = Math.max(box[3 + axis], boxes[from + 3 + axis]);
    }
  }
}

function rowBoxes(detail, pool, rowEntries) {
  return new RowBoxes(pool.array(detail.entries), pool.array(detail.balls), rowEntries);
}

// The balls of a crowd that moves. If the crowd is baked, also the clip and the phase of each actor.
class MovingBounds {
  constructor(motion, detail, pool) {
    this.motion = motion;
    this.isBaked = !detail.entries;
    if (this.isBaked) {
      this.balls = new ClipBalls(pool.array(detail.balls));
      this.clips = new Int32Array(motion.capacity); // of each actor of the picture; -1 = a mixture
      this.phases = new Float32Array(motion.capacity);
      const { clips, phases } = motion.rowClips ? { clips: motion.rowClips, phases: motion.rowPhases } : clipRows(motion);
      Object.assign(this, { rowClips: clips, rowPhases: phases });
    } else this.boxes = rowBoxes(detail, pool, motion.entries);
  }

  prepare() {
    const { motion } = this, used = motion.clipRows + motion.ownRows;
    if (!this.isBaked) return this.boxes.fill(motion.rows, used, motion.clipRows);
    for (let index = 0; index < motion.count; index++) this.findClip(index);
  }

  // Find the clip of an actor. At the end of a fade, the second clip replaces the first clip.
  findClip(index) {
    const { play } = this.motion, first = 8 * index, second = first + 4;
    const own = play[second + 3] > 0 ? second : first, before = play[own], after = play[own + 1];
    const isMixed = (own === second && play[first + 3] > 0) || before >= this.rowClips.length;
    this.clips[index] = isMixed ? -1 : this.rowClips[before];
    this.phases[index] = this.rowPhases[before] + (this.rowPhases[after] - this.rowPhases[before]) * play[own + 2];
  }

  write(index, ball) {
    const { placement, play } = this.motion;
    if (this.isBaked) this.balls.write(placement, 8 * index, this.clips[index], ball);
    else this.boxes.write(placement, 8 * index, play, 8 * index, ball);
  }
}

// Return the clip and the phase of each row of a motion's clips.
function clipRows(motion) {
  const clips = new Int32Array(motion.clipRows), phases = new Float32Array(motion.clipRows);
  let row = 0;
  for (const clip of motion.facts.clips) {
    for (let k = 0; k < clip.rows; k++, row++) {
      clips[row] = clip.number;
      phases[row] = clip.rows > 1 ? k / (clip.rows - 1) : 0;
    }
  }
  return { clips, phases };
}

// Return an upper bound of the largest stretch of a matrix with three rows of four. See `PosedLevels.bounds`.
function stretch(rows, at) {
  const product = (i, j) => {
    let sum = 0;
    for (let k = at; k < at + 12; k += 4) sum += rows[k + i] * rows[k + j];
    return sum;
  };
  const xy = Math.abs(product(0, 1)), yz = Math.abs(product(1, 2)), zx = Math.abs(product(2, 0));
  return Math.sqrt(Math.max(product(0, 0) + xy + zx, product(1, 1) + xy + yz, product(2, 2) + yz + zx));
}

// Write a ball of a rig to the world. `placement` has x, y, z, scale and a quaternion at the number `at`.
function placeBall(placement, at, x, y, z, radius, ball) {
  const scale = placement[at + 3], i = placement[at + 4], j = placement[at + 5], k = placement[at + 6];
  const w = placement[at + 7];
  x *= scale; y *= scale; z *= scale;
  const s = j * z - k * y + w * x, t = k * x - i * z + w * y, u = i * y - j * x + w * z;
  ball[0] = placement[at] + x + 2 * (j * u - k * t);
  ball[1] = placement[at + 1] + y + 2 * (k * s - i * u);
  ball[2] = placement[at + 2] + z + 2 * (i * t - j * s);
  ball[3] = Math.abs(scale) * radius;
}
