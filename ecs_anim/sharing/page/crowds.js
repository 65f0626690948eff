// Crowds of one picture: instance data of actors, sorted by level of detail.

const PLAIN_PLAY = [0, 0, 0, 1, 0, 0, 0, 0]; // the first row of the table, without a second play
const CASTER = 2; // coarsest level of detail whose shadows still look like a body
const BODY_REACH = 1; // [m], largest distance from an actor's position to its nearest vertex
const NEAR_FOCUS = 8; // [m]; if the camera's target is nearer, shadows of the coarsest meshes have visible corners
const TEXELS = { linear: 3, dual_quaternion: 4 }; // texels of a palette entry

// Actors with one model and one table of rows.
class Crowd {
  constructor(device, look, models, capacity) {
    this.device = device;
    this.gl = device.gl;
    this.look = look;
    this.skin = look.skin === null ? null : models[look.skin];
    this.bones = look.bones === null ? null : models[look.bones];
    this.rows = new Table(device);
    this.morphs = new Table(device);
    this.morphStride = 0;
    this.entries = 1;
    this.floats = new Float32Array(INSTANCE_FLOATS * Math.max(capacity, 1));
    this.integers = new Int32Array(this.floats.buffer);
    this.instances = this.gl.createBuffer();
    this.levels = []; // [first, count] of each level of detail
    this.count = 0;
    this.order = new Int32Array(Math.max(capacity, 1));
  }

  get isInFront() {
    return this.skin !== null && this.bones !== null;
  }

  get casters() {
    return this.skin ?? this.bones;
  }

  bindRows(program) {
    this.rows.bind(UNITS.played_rows);
    program.setInts("row_entries", this.entries);
  }

  bindMorphs(program) {
    this.morphs.bind(UNITS.morph_weights);
    program.setInts("morph_stride", this.morphStride);
  }

  // Choose a level for each actor, and fill the instance data level by level. `write(slot, index)` fills one instance.
  arrange(count, placement, stride, view, height, write) {
    const levels = this.skin ? this.skin.errors.length : 1;
    const counts = new Array(levels).fill(0);
    const chosen = (this.chosen ??= new Uint8Array(this.order.length));
    for (let index = 0; index < count; index++) {
      chosen[index] = levels > 1 ? this.level(placement, stride * index, view, height) : 0;
      counts[chosen[index]]++;
    }
    let end = 0;
    this.levels = counts.map((own) => [(end += own) - own, own]);
    const next = this.levels.map(([first]) => first);
    for (let index = 0; index < count; index++) {
      const slot = next[chosen[index]]++;
      this.order[slot] = index;
      write(slot, index);
    }
    this.count = count;
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, this.floats.subarray(0, INSTANCE_FLOATS * Math.max(count, 1)), gl.DYNAMIC_DRAW);
  }

  // Return the coarsest level whose error is below the limit on the screen.
  level(placement, at, view, height) {
    const { axes, eye, focal } = view;
    let depth = -BODY_REACH;
    for (let k = 0; k < 3; k++) depth -= axes[2][k] * (placement[at + k] - eye[k]);
    depth = Math.max(depth, 0.1);
    const allowed = (this.look.pixel_error * depth * 2) / (focal * height * placement[at + 3]);
    let level = 0;
    while (level + 1 < this.skin.errors.length && this.skin.errors[level + 1] <= allowed) level++;
    return level;
  }

  // Call `draw(mesh, first, count)` for each mesh of each level that has actors.
  eachMesh(model, draw) {
    if (model.levels.length === 1) {
      if (this.count) for (const mesh of model.levels[0]) draw(mesh, 0, this.count);
      return;
    }
    this.levels.forEach(([first, count], level) => {
      if (count) for (const mesh of model.levels[level]) draw(mesh, first, count);
    });
  }

  eachCaster(focus, draw) {
    const { levels } = this.casters;
    const level = Math.max(Math.min(levels.length - 1, CASTER) - (focus < NEAR_FOCUS ? 1 : 0), 0);
    if (this.count) for (const mesh of levels[level]) draw(mesh, 0, this.count);
  }
}

// A crowd that moves: each picture reads the motion.
class MovingCrowd extends Crowd {
  constructor(device, look, models, motion, pool) {
    super(device, look, models, motion.capacity);
    this.motion = motion;
    this.entries = motion.entries;
    this.tints = pool.array(look.tints.table);
    this.tintNumbers = pool.array(look.tints.numbers);
    this.variants = pool.array(look.variants);
    const { bind } = look;
    this.dual = bind ? new DualRows(pool.array(bind.places), pool.array(bind.base), motion.entries) : null;
    this.colors = null; // [actor, 3], linear RGB in place of the tints
  }

  prepare(view, height) {
    const { motion } = this;
    this.sendRows();
    this.sendMorphs();
    this.arrange(motion.count, motion.placement, 8, view, height, (slot, index) => this.write(slot, index));
  }

  write(slot, index) {
    const { motion, floats, integers } = this;
    const at = INSTANCE_FLOATS * slot, actor = motion.actor[index], tint = 4 * this.tintNumbers[actor];
    for (let k = 0; k < 8; k++) floats[at + k] = motion.placement[8 * index + k];
    for (let k = 0; k < 4; k++) floats[at + 8 + k] = this.tints[tint + k];
    if (this.colors) {
      for (let k = 0; k < 3; k++) floats[at + 8 + k] = this.colors[3 * actor + k];
      floats[at + 11] = 1;
    }
    integers[at + 12] = index;
    integers[at + 13] = slot;
    integers[at + 14] = this.variants[actor];
    integers[at + 15] = motion.missing ? motion.missing[index] : 0;
    for (let k = 0; k < 8; k++) floats[at + 16 + k] = motion.play[8 * index + k];
  }

  // Send the rows of the clips once, and the rows of posed actors in each picture.
  sendRows() {
    const { motion } = this;
    const used = motion.clipRows + (motion.isPosed ? motion.count : 0);
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

// Copies of a static model.
class PropCrowd extends Crowd {
  constructor(device, look, models, pool) {
    const rows = pool.array(look.instances);
    super(device, { ...look, skin: look.model, bones: null, method: "linear" }, models, rows.length / 12);
    this.placed = rows;
    this.rows.write(new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]));
    if (look.contacts) {
      this.given = pool.array(look.contacts);
      this.contacts = new Table(device);
    }
  }

  prepare(view, height) {
    const { placed, floats, integers } = this;
    this.arrange(placed.length / 12, placed, 12, view, height, (slot, index) => {
      const at = INSTANCE_FLOATS * slot;
      floats.set(placed.subarray(12 * index, 12 * index + 12), at);
      integers.fill(0, at + 12, at + 16);
      floats.set(PLAIN_PLAY, at + 16);
    });
    if (!this.contacts) return;
    const sorted = new Float32Array(this.given.length);
    for (let slot = 0; slot < this.count; slot++) {
      const index = this.order[slot];
      sorted.set(this.given.subarray(4 * index, 4 * index + 4), 4 * slot);
    }
    this.contacts.write(sorted);
  }
}
