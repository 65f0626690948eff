// Waiting times: the time that each actor has spent at a low speed since the start of the recording.

const WAITING_SPEED = 0.25; // [m/s]; an actor with a lower speed waits
const WORK = 12; // [ms], longest computation for one picture

class WaitingTimes {
  constructor(motion) {
    this.motion = motion;
    this.known = []; // by moment: for each crowd, the number of waited time steps of each actor
    this.positions = null; // positions of all actors at the last known moment
  }

  isComplete(moment) {
    return this.known.length > moment;
  }

  // Continue up to a moment, for a limited time. Return whether the motion was sampled.
  extend(moment) {
    const end = performance.now() + WORK, first = this.known.length;
    while (!this.isComplete(moment) && performance.now() < end) this.add();
    return this.known.length > first;
  }

  add() {
    const { motion, known, positions } = this;
    motion.sample(known.length * GRID);
    const now = motion.crowds.map(positionsOf);
    known.push(now.map((own, crowd) => waited(known.at(-1)?.[crowd], positions?.[crowd], own)));
    this.positions = now;
  }

  // Return the waiting time of an actor [s] at the last known moment that is not after `moment`.
  seconds(moment, crowd, actor) {
    const at = Math.min(moment, this.known.length - 1);
    return at < 0 ? 0 : GRID * this.known[at][crowd][actor];
  }
}

// Return the numbers of waited time steps after one more step. Absent actors do not wait.
function waited(counts, before, now) {
  const result = counts ? counts.slice() : new Uint16Array(now.length / 3);
  if (!before) return result;
  for (let actor = 0; actor < result.length; actor++) {
    const at = 3 * actor;
    if (Math.hypot(now[at] - before[at], now[at + 2] - before[at + 2]) < WAITING_SPEED * GRID) result[actor]++;
  }
  return result;
}
