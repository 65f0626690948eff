// Motion: positions, clips and poses of all actors at any time. ecs_anim/sharing/motion.py computes equal joints.

// Channels of a span: places 3, heading, tilts 2, scale, phases 2, fade. Morph weights and coefficients follow.
const HEADING = 3, SCALE = 6, PHASE = 7, FADE = 9, MORPHS = 10;

async function openMotion(box) {
  const { crowds, seconds } = box.meta;
  const read = crowds.map((facts, number) => CrowdMotion.read(box, `motion/${number}/`, facts));
  return new Motion(seconds, await Promise.all(read));
}

class Motion {
  constructor(seconds, crowds) {
    this.seconds = seconds;
    this.crowds = crowds;
  }

  // Decode the rest of the motion, crowd by crowd. Between two crowds, the page can draw and react.
  async finish() {
    for (const crowd of this.crowds) {
      await new Promise((done) => setTimeout(done));
      crowd.series.finish();
      crowd.near?.series.finish();
    }
  }

  // Fill the arrays of each crowd for the time t [s].
  sample(t) {
    for (const crowd of this.crowds) crowd.sample(Number((t / crowd.facts.sample_seconds).toFixed(6)));
  }

  // Return the joints [joint x 3] [m] of an actor in the world at the sampled time, or null for an absent actor.
  joints(crowd, actor) {
    return this.crowds[crowd].joints(actor);
  }
}

class CrowdMotion {
  static async read(box, prefix, facts) {
    const names = ["actor", "gaps", "frames", "clips", "turns", "ids"];
    const arrays = await Promise.all(names.map((name) => box.array(prefix + name)));
    const spans = Object.fromEntries(names.map((name, k) => [name, arrays[k]]));
    const { gaps } = spans, frames = readNumbers(spans.frames, new Uint8Array(gaps.length));
    spans.last = runningSums(frames.map((count, span) => count + gaps[span])).subarray(1);
    spans.first = spans.last.map((last, span) => last - frames[span]);
    const clipFrames = Uint32Array.from(facts.clips, (clip) => clip.frames);
    const isPosed = facts.kind === "posed", channels = facts.steps.length;
    const [poses, series, clips, corrections, near] = await Promise.all([
      Poses.read(box, prefix, facts),
      Series.read(box, prefix, frames, channels),
      isPosed ? null : Series.read(box, `${prefix}clip_`, clipFrames, facts.components),
      isPosed ? Corrections.read(box, prefix, frames, channels) : null,
      facts.near ? CrowdMotion.read(box, `${prefix}near/`, facts.near) : null,
    ]);
    return new CrowdMotion(facts, spans, poses, series, clips, corrections, near);
  }

  // `near` has the recorded poses of the near actors. Without such poses, `near` is null.
  constructor(facts, spans, poses, series, clips, corrections, near) {
    const { name, actors, capacity, morphs } = facts;
    Object.assign(this, { name, actors, capacity, facts, spans, poses, series, corrections, near, ids: spans.ids });
    this.isPosed = facts.kind === "posed";
    this.values = new Float64Array(facts.steps.length); // numbers of the channels of an actor
    this.entries = facts.entries.length;
    this.jointCount = facts.joints.length;
    this.targets = morphs;
    this.clipRows = facts.clips.reduce((sum, clip) => sum + clip.rows, 0);
    this.ownRows = 0; // rows after the rows of the clips: poses of single actors
    this.clips = clips;
    this.firstPose = new Float64Array(poses.pose.length); // of the first clip in a fade
    this.isArc = this.arcSpans();
    const rows = this.clipRows + (this.isPosed || facts.arcs.length || near ? capacity : 0);
    this.rows = new Float32Array(12 * rows * this.entries);
    this.models = new Float32Array(12 * rows * this.jointCount);
    this.count = 0;
    this.actor = new Int32Array(capacity);
    this.placement = new Float32Array(8 * capacity);
    this.play = new Float32Array(8 * capacity);
    this.morphs = new Float32Array(capacity * morphs);
    this.next = this.firstSpans();
    if (!this.isPosed) this.fillClips();
  }

  // Return the number of the first span of each actor, and the number of spans at the end. If an actor has no span, return
  // the number of the next actor's first span.
  firstSpans() {
    const found = new Uint32Array(this.actors + 1).fill(this.spans.actor.length);
    for (let span = this.spans.actor.length - 1; span >= 0; span--) found[this.spans.actor[span]] = span;
    for (let actor = this.actors - 1; actor >= 0; actor--) found[actor] = Math.min(found[actor], found[actor + 1]);
    return found;
  }

  // Return for each span whether the joints turn in fades between its two clips.
  arcSpans() {
    const arcs = new Set(this.facts.arcs.map(String)), { clips, actor } = this.spans;
    return Uint8Array.from(actor, (_, span) => arcs.has(String(clips.subarray(2 * span, 2 * span + 2))));
  }

  // Fill the rows of all clips.
  fillClips() {
    this.clipStarts = new Map();
    let row = 0;
    this.facts.clips.forEach((clip, number) => {
      const size = clip.phase_step / this.facts.steps[PHASE]; // of a step of phases
      this.clipStarts.set(clip.number, { first: row, rows: clip.rows, number, size });
      for (let k = 0; k < clip.rows; k++, row++) {
        this.composeClip(number, clip.rows > 1 ? k / (clip.rows - 1) : 0);
        this.fillRow(row);
      }
    });
  }

  // Compute the pose of a clip at a phase.
  composeClip(number, phase) {
    const { facts, poses, clips } = this;
    for (let k = 0; k < facts.components; k++) {
      poses.coefficients[k] = facts.clip_step * clips.at(k * facts.clips.length + number, phase);
    }
    poses.compose();
  }

  // Fill a row from the current pose.
  fillRow(row, poses = this.poses) {
    const model = 12 * row * this.jointCount;
    poses.model(this.models, model);
    poses.skin(this.models, model, this.rows, 12 * row * this.entries);
  }

  sample(frame) {
    this.count = this.ownRows = 0;
    for (let actor = 0; actor < this.actors; actor++) {
      const span = this.spanAt(actor, frame);
      if (span >= 0 && this.count < this.capacity) this.place(this.count++, actor, span, frame);
    }
  }

  // Return the last span of an actor that has begun, or -1 if the actor is absent.
  spanAt(actor, frame) {
    const { first, last } = this.spans, end = this.next[actor + 1];
    let low = this.next[actor], high = end - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (first[middle] <= frame) low = middle;
      else high = middle - 1;
    }
    if (high < this.next[actor] || first[low] > frame) return -1;
    const follows = low + 1 < end && first[low + 1] === last[low] + 1;
    return frame <= last[low] + (follows ? 1 : 0) ? low : -1;
  }

  // Compute the numbers of all channels of a span.
  evaluate(span, frame) {
    const { series, values, corrections } = this, { first, last, actor } = this.spans, { steps } = this.facts;
    const length = last[span] - first[span], own = Math.min(frame - first[span], length), at = own / Math.max(length, 1);
    for (let k = 0; k < steps.length; k++) values[k] = series.at(k * actor.length + span, at);
    if (corrections) corrections.add(span, own, values);
    for (let k = 0; k < steps.length; k++) values[k] *= steps[k];
  }

  // Compute the numbers of an actor in a span. If the actor is a near actor, use its recorded pose.
  place(index, actor, span, frame) {
    const own = this.near ? this.near.spanAt(actor, frame) : -1, source = own < 0 ? this : this.near;
    const { placement } = this, { values, poses, facts } = source, p = 8 * index;
    source.evaluate(own < 0 ? span : own, frame);
    this.actor[index] = actor;
    for (let k = 0; k < 3; k++) placement[p + k] = values[k];
    placement[p + 3] = values[SCALE];
    this.turn(p + 4, values[HEADING], values[HEADING + 1], values[HEADING + 2]);
    for (let k = 0; k < this.targets; k++) this.morphs[this.targets * index + k] = values[MORPHS + k];
    if (source.isPosed) {
      for (let k = 0; k < facts.components; k++) poses.coefficients[k] = values[MORPHS + this.targets + k];
      poses.compose();
      this.placeOwnRow(p, poses);
    } else this.placeClips(p, span);
  }

  // Fill a row from the current pose of `poses`. Only the actor with its play at the number `p` shows this row.
  placeOwnRow(p, poses) {
    const row = this.clipRows + this.ownRows++;
    this.fillRow(row, poses);
    this.writePlay(p, row, 1, 0, 1);
    this.writePlay(p + 4, 0, 1, 0, 0);
  }

  // Write the plays of both clips of a span. In fades with turning joints, the pose gets its own row.
  placeClips(p, span) {
    const { spans, values } = this, fade = clamp(values[FADE], 0, 1);
    const isTurning = this.isArc[span] && fade > 0 && fade < 1;
    for (let k = 0; k < 2; k++) {
      const clip = this.clipStarts.get(spans.clips[2 * span + k]), weight = k ? fade : 1 - fade;
      const phase = values[PHASE + k] * clip.size;
      const turned = spans.turns[2 * span + k] ? phase - Math.floor(phase) : clamp(phase, 0, 1);
      if (isTurning) {
        this.composeClip(clip.number, turned);
        if (k) this.poses.blend(this.firstPose, fade);
        else this.firstPose.set(this.poses.pose);
      } else this.writePlay(p + 4 * k, clip.first, clip.rows, turned, weight);
    }
    if (isTurning) this.placeOwnRow(p, this.poses);
  }

  // Write the quaternion of a heading about +Y and of the x and z of a tilt.
  turn(at, heading, x, z) {
    const w = Math.sqrt(Math.max(1 - x * x - z * z, 0)), c = Math.cos(heading / 2), s = Math.sin(heading / 2);
    this.placement.set([c * x + s * z, s * w, c * z - s * x, c * w], at);
  }

  // Write the rows before and after a phase of a clip, the factor of the row after, and the weight of the clip.
  writePlay(at, first, rows, phase, weight) {
    const place = phase * (rows - 1), before = Math.min(Math.floor(place), Math.max(rows - 2, 0));
    this.play[at] = first + before;
    this.play[at + 1] = first + Math.min(before + 1, rows - 1);
    this.play[at + 2] = place - before;
    this.play[at + 3] = weight;
  }

  joints(actor) {
    const index = this.actor.subarray(0, this.count).indexOf(actor);
    if (index < 0) return null;
    const { placement, jointCount } = this, result = new Float32Array(3 * jointCount), p = 8 * index;
    for (let joint = 0; joint < jointCount; joint++) {
      const local = [3, 7, 11].map((number) => placement[p + 3] * this.blended(p, 12 * joint + number));
      result.set(add(placement.subarray(p, p + 3), rotated(placement, p + 4, local)), 3 * joint);
    }
    return result;
  }

  // Return a number of the joint matrices of an actor.
  blended(p, number) {
    const { models, play } = this, size = 12 * this.jointCount;
    let sum = 0;
    for (let k = p; k < p + 8; k += 4) {
      if (!play[k + 3]) continue;
      const before = models[size * play[k] + number], after = models[size * play[k + 1] + number];
      sum += play[k + 3] * (before + (after - before) * play[k + 2]);
    }
    return sum;
  }
}
