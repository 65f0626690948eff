// Crowds of one picture: instance data of the visible actors, sorted by level of detail, then of shadow casters.

const PLAIN_PLAY = [0, 0, 0, 1, 0, 0, 0, 0]; // the first row of the table, without a second play
const UNMOVED = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]; // matrix rows without a rotation and a translation
const NEAR_FOCUS = 8; // [m]; if the camera's target is nearer, shadows of the coarsest meshes have visible corners
const TEXELS = { linear: 3, dual_quaternion: 4 }; // texels of a palette entry
const TINT_ROW = 5; // numbers of a row of a changing tint: time [s], linear RGB and strength
const NUMBERS = 1 << 16; // modulus of actor numbers, which select the rounding offsets of impostors

// Actors with one model and one table of rows.
class Crowd {
  constructor(device, look, models, pool, capacity, numbers) {
    this.device = device;
    this.gl = device.gl;
    this.look = look;
    this.skin = look.skin === null ? null : models[look.skin];
    this.bones = look.bones === null ? null : models[look.bones];
    this.rows = new Table(device);
    this.morphs = new Table(device);
    this.morphStride = 0;
    this.entries = 1;
    this.floats = new Float32Array(0);
    this.integers = new Int32Array(0);
    this.instances = this.gl.createBuffer();
    const { detail } = look;
    this.choice = this.skin && new Choice(detail, Math.max(capacity, 1), numbers);
    this.far = detail ? detail.far : [false]; // levels whose vertices look up the shadows
    this.atlas = detail?.pictures ? Atlas.of(device, look, this.skin, pool) : null;
    this.ranges = []; // [first, count] of each level of detail, then of shadow casters
    this.count = 0; // visible actors
    this.order = new Int32Array(Math.max(capacity, 1)); // index of each visible actor
  }

  get isInFront() {
    return this.skin !== null && this.bones !== null;
  }

  bindRows(program) {
    this.rows.bind(UNITS.played_rows);
    program.setInts("row_entries", this.entries);
  }

  bindMorphs(program) {
    this.morphs.bind(UNITS.morph_weights);
    program.setInts("morph_stride", this.morphStride);
  }

  // Choose the visible actors and their levels, and fill the instance data level by level, then of shadow casters.
  arrange(count, planes) {
    const { choice } = this, levels = this.far.length + (this.atlas ? 1 : 0);
    if (choice) choice.choose(this, count, planes);
    const counts = new Array(levels + 1).fill(0);
    const levelOf = (index) => (!this.isShown(index) ? HIDDEN : choice ? choice.levels[index] : 0);
    for (let index = 0; index < count; index++) {
      const level = levelOf(index);
      if (level >= 0) counts[level]++;
      if (this.castsShadow(index, planes)) counts[levels]++;
    }
    let end = 0;
    this.ranges = counts.map((own) => [(end += own) - own, own]);
    this.count = end - counts[levels];
    this.reserve(end);
    const next = this.ranges.map(([first]) => first);
    for (let index = 0; index < count; index++) {
      const level = levelOf(index);
      if (level >= 0) {
        const slot = next[level]++;
        this.order[slot] = index;
        this.write(slot, index);
        if (level >= this.far.length) this.writePicture(slot, index);
      }
      if (this.castsShadow(index, planes)) this.write(next[levels]++, index);
    }
    this.send(end);
    this.caster = choice ? choice.caster(planes, this.largestScale(count)) : 0;
    if (this.pictured[1]) this.atlas.prepare();
  }

  castsShadow(index, planes) {
    return planes.sun.length > 0 && this.isShown(index) && (this.choice ? this.choice.casts[index] > 0 : true);
  }

  largestScale(count) {
    let largest = 0;
    for (let index = 0; index < count; index++) largest = Math.max(largest, this.scaleOf(index));
    return largest;
  }

  reserve(rows) {
    if (this.floats.length >= INSTANCE_FLOATS * rows) return;
    this.floats = new Float32Array(INSTANCE_FLOATS * Math.ceil(1.25 * rows));
    this.integers = new Int32Array(this.floats.buffer);
  }

  send(rows) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, this.floats.subarray(0, INSTANCE_FLOATS * Math.max(rows, 1)), gl.DYNAMIC_DRAW);
  }

  // Move the copies to their places at a time [s].
  place() {}

  // Forget the levels of the previous picture.
  forget() {
    this.choice?.forget();
  }

  // Whether an actor can be an impostor, and its level if its pose decides.
  isPictured() {
    return false;
  }

  revised(index, level) {
    return level;
  }

  // Call `draw(mesh, first, count, isFar)` for each mesh of each level that has actors.
  eachMesh(model, draw) {
    if (model !== this.skin) {
      if (this.count) for (const mesh of model[0]) draw(mesh, 0, this.count, false);
      return;
    }
    this.far.forEach((isFar, level) => {
      const [first, count] = this.ranges[level];
      if (count) for (const mesh of model[level]) draw(mesh, first, count, isFar);
    });
  }

  // Defines of shaders that draw the crowd in colours of values.
  get paint() {
    return [];
  }

  // Return the first instance and the number of instances that are impostors.
  get pictured() {
    return this.atlas ? this.ranges[this.far.length] : [0, 0];
  }

  eachCaster(draw) {
    const [first, count] = this.ranges.at(-1), model = this.skin ?? this.bones;
    if (count && model) for (const mesh of model[this.caster]) draw(mesh, first, count);
  }
}

// A crowd that moves: each picture reads the motion.
class MovingCrowd extends Crowd {
  constructor(device, look, models, motion, pool) {
    super(device, look, models, pool, motion.capacity, motion.actors);
    this.motion = motion;
    this.entries = motion.entries;
    this.tints = new Tints(look.tints, pool);
    this.variants = pool.array(look.variants);
    const { bind } = look;
    this.dual = bind ? new DualRows(pool.array(bind.places), pool.array(bind.base), motion.entries) : null;
    this.colors = null; // [actor, 3], linear RGB in place of the colours of bodies and clothes
    if (this.skin) this.bounds = new MovingBounds(motion, look.detail, pool);
  }

  get paint() {
    return this.colors ? ["PAINTED"] : [];
  }

  prepare(planes) {
    this.sendRows();
    this.sendMorphs();
    this.bounds?.prepare();
    this.arrange(this.motion.count, planes);
  }

  place(time) {
    this.tints.place(time);
  }

  ballOf(index, ball) {
    this.bounds.write(index, ball);
  }

  scaleOf(index) {
    return Math.abs(this.motion.placement[8 * index + 3]);
  }

  numberOf(index) {
    return this.motion.actor[index];
  }

  isShown(index) {
    return this.storeys.showsHeight(this.motion.placement[8 * index + 1]);
  }

  // In crowds that play clips, an actor that blends two poses cannot be an impostor.
  isPictured(index) {
    return this.atlas !== null && !this.atlas.body && this.bounds.clips[index] >= 0;
  }

  // In other crowds, the distance to the nearest pictured pose decides.
  revised(index, level, allowed, before) {
    if (!this.atlas?.body) return level;
    const { motion } = this, last = this.far.length, { error } = this.atlas.described;
    const limit = before >= 0 && before < last ? allowed / PICTURE_MARGIN : allowed;
    if (limit < error) return level;
    const apart = this.atlas.body.find(motion.rows, 12 * motion.entries * this.mainRow(index));
    return Math.hypot(apart, error) <= limit ? last : level;
  }

  // Return the row of the pose with the largest weight.
  mainRow(index) {
    const { play } = this.motion, at = 8 * index;
    const own = play[at + 7] > play[at + 3] ? at + 4 : at;
    return play[own + 2] > 0.5 ? play[own + 1] : play[own];
  }

  write(slot, index) {
    const { motion, floats, integers } = this;
    const at = INSTANCE_FLOATS * slot, actor = motion.actor[index];
    for (let k = 0; k < 8; k++) floats[at + k] = motion.placement[8 * index + k];
    for (let k = 0; k < 4; k++) floats[at + 8 + k] = this.tints.own[4 * actor + k];
    if (this.colors) {
      for (let k = 0; k < 3; k++) floats[at + 8 + k] = this.colors[3 * actor + k];
      floats[at + 11] = 1;
    }
    integers[at + 12] = index;
    integers[at + 13] = actor % NUMBERS;
    integers[at + 14] = this.variants[actor];
    integers[at + 15] = motion.missing ? motion.missing[index] : 0;
    for (let k = 0; k < 8; k++) floats[at + 16 + k] = motion.play[8 * index + k];
  }

  // Turn an instance into an impostor: write the numbers of its picture.
  writePicture(slot, index) {
    const { atlas, integers, floats, motion, bounds } = this, at = INSTANCE_FLOATS * slot;
    if (!atlas.body) {
      integers[at + 14] = bounds.clips[index];
      integers[at + 12] = atlas.pictureOf(bounds.clips[index], bounds.phases[index], motion.actor[index]);
      return;
    }
    atlas.body.find(motion.rows, 12 * motion.entries * this.mainRow(index));
    const scale = motion.placement[8 * index + 3];
    const moved = rotated(motion.placement, 8 * index + 4, scaled(atlas.body.shift, scale));
    for (let axis = 0; axis < 3; axis++) floats[at + axis] += moved[axis];
    integers[at + 12] = atlas.body.pose;
    integers[at + 14] %= atlas.clipCount;
  }

  // Send the rows of the clips once, and the rows of posed actors in each picture.
  sendRows() {
    const { motion } = this;
    const used = motion.clipRows + motion.ownRows;
    let rows = motion.rows.subarray(0, 12 * motion.entries * used);
    if (this.dual) rows = this.dual.of(rows, motion.clipRows);
    const first = this.rows.texture ? TEXELS[this.look.method] * motion.entries * motion.clipRows : 0;
    if (first < rows.length / 4 || !this.rows.texture) this.rows.write(rows, rows.length / 4, first, this.capacity());
  }

  // Return the number of texels of all rows.
  capacity() {
    return (this.motion.rows.length * TEXELS[this.look.method]) / 12;
  }

  // Send the used morph targets of each actor as a list of pairs (target, weight). The target -1 ends a list.
  sendMorphs() {
    const { motion } = this;
    const targets = motion.morphs ? motion.morphs.length / motion.capacity : 0;
    if (!targets) return;
    let most = 0;
    const used = [];
    for (let index = 0; index < motion.count; index++) {
      const own = [];
      for (let target = 0; target < targets; target++) {
        const weight = motion.morphs[index * targets + target];
        if (weight) own.push([target, weight]);
      }
      used.push(own);
      most = Math.max(most, own.length);
    }
    this.morphStride = most ? most + 1 : 0;
    if (!most) return this.morphs.reserve(1);
    const texels = new Float32Array(4 * this.morphStride * motion.count).fill(-1);
    used.forEach((own, index) => own.forEach((pair, k) => texels.set(pair, 4 * (index * this.morphStride + k))));
    this.morphs.write(texels);
  }
}

// The tints of all actors at one time.
class Tints {
  constructor({ table, numbers, changes }, pool) {
    const colors = pool.array(table);
    this.own = new Float32Array(4 * numbers.count); // linear RGB and strength by actor number
    pool.array(numbers).forEach((number, actor) => this.own.set(colors.subarray(4 * number, 4 * number + 4), 4 * actor));
    this.changes = changes && [changes.actors, changes.counts, changes.rows].map((values) => pool.array(values));
  }

  // Update the tints that change. `time` [s] is the time of the recording.
  place(time) {
    if (!this.changes) return;
    const [actors, counts, rows] = this.changes;
    let end = 0;
    actors.forEach((actor, k) => {
      const path = rows.subarray(end, (end += TINT_ROW * counts[k]));
      this.own.set(valuesAt(path, TINT_ROW, time), 4 * actor);
    });
  }
}

// Copies of a model at given places, with twelve numbers per copy.
class PlacedCrowd extends Crowd {
  constructor(device, look, models, pool) {
    const placed = pool.array(look.instances), count = placed.length / 12;
    super(device, { skin: null, bones: null, method: "linear", ...look }, models, pool, count, count);
    this.placed = placed;
    this.rows.write(new Float32Array(UNMOVED));
  }

  prepare(planes) {
    this.arrange(this.placed.length / 12, planes);
  }

  scaleOf(index) {
    return Math.abs(this.placed[12 * index + 3]);
  }

  write(slot, index) {
    const { placed, floats, integers } = this, at = INSTANCE_FLOATS * slot;
    floats.set(placed.subarray(12 * index, 12 * index + 12), at);
    integers.fill(0, at + 12, at + 16);
    floats.set(PLAIN_PLAY, at + 16);
  }
}

// Balls at the targets of actors. Each ball moves along a path: rows of time [s] and position [m].
class TargetBalls extends PlacedCrowd {
  constructor(device, look, models, pool) {
    super(device, { ...look, bones: look.model, shadow_radius: 0 }, models, pool);
    this.placed = this.placed.slice(); // equal arrays of the pool share their bytes
    this.paths = look.paths.map((path) => pool.array(path));
  }

  place(time) {
    this.paths.forEach((path, index) => this.placed.set(valuesAt(path, 4, time), 12 * index));
  }

  isShown(index) {
    return this.storeys.showsHeight(this.placed[12 * index + 1]);
  }
}

// Static objects.
class PropCrowd extends PlacedCrowd {
  constructor(device, look, models, pool) {
    super(device, { ...look, skin: look.model }, models, pool);
    this.boxes = rowBoxes(look.detail, pool, 1);
    this.boxes.fill(UNMOVED, 1, 1);
    if (look.contacts) {
      this.given = pool.array(look.contacts);
      this.contacts = new Table(device);
    }
  }

  prepare(planes) {
    super.prepare(planes);
    if (!this.contacts) return;
    const sorted = new Float32Array(this.given.length);
    for (let slot = 0; slot < this.count; slot++) {
      const index = this.order[slot];
      sorted.set(this.given.subarray(4 * index, 4 * index + 4), 4 * slot);
    }
    this.contacts.write(sorted);
  }

  ballOf(index, ball) {
    this.boxes.write(this.placed, 12 * index, PLAIN_PLAY, 0, ball);
  }

  numberOf(index) {
    return index;
  }

  isShown() {
    return this.storeys.shows(this.look.storey);
  }
}
