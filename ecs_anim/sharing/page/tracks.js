// Positions of actors at earlier moments, for paths and speeds.

const GRID = 0.25; // [s], time between two known positions
const KEPT = 80; // known moments in memory
const PATH_SECONDS = 4;

class Tracks {
  constructor(motion) {
    this.motion = motion;
    this.moments = new Map(); // by moment: for each crowd, x, y, z of each actor; NaN = absent
  }

  // Return the last moment at or before a time.
  moment(time) {
    return Math.floor(time / GRID + 1e-6);
  }

  // Make the positions at the moments from `first` to `last` known. Return whether the motion was sampled.
  know(first, last) {
    let sampled = false;
    for (let moment = Math.max(first, 0); moment <= last; moment++) {
      if (this.moments.has(moment)) continue;
      this.motion.sample(moment * GRID);
      this.moments.set(moment, this.motion.crowds.map(positionsOf));
      sampled = true;
    }
    for (const moment of this.moments.keys()) {
      if (this.moments.size <= KEPT) break;
      if (moment < first || moment > last) this.moments.delete(moment);
    }
    return sampled;
  }

  position(moment, crowd, actor) {
    const known = this.moments.get(moment)?.[crowd];
    return known && !Number.isNaN(known[3 * actor]) ? known.subarray(3 * actor, 3 * actor + 3) : null;
  }

  // Return the speed on the plan over the last quarter of a second [m/s], or null if it is unknown.
  speed(time, crowd, actor) {
    const now = Math.max(this.moment(time), 1);
    const [before, after] = [this.position(now - 1, crowd, actor), this.position(now, crowd, actor)];
    return before && after ? Math.hypot(after[0] - before[0], after[2] - before[2]) / GRID : null;
  }
}

function positionsOf(crowd) {
  const positions = new Float32Array(3 * crowd.actors).fill(NaN);
  for (let index = 0; index < crowd.count; index++) {
    positions.set(crowd.placement.subarray(8 * index, 8 * index + 3), 3 * crowd.actor[index]);
  }
  return positions;
}
