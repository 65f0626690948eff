// Impostors: small pictures of a character, which replace the meshes of distant actors. The page draws the pictures
// once with the character's shaders, as ecs_anim/gl/impostors does. The plan of the pictures is in the file.

const YAWS = 16, ELEVATIONS = 5, CELL_BORDER = 1.5; // equal to the numbers in ecs_anim/levels/impostors.py
const ATLAS_SAMPLES = 4, ATLAS_COARSER = 2; // samples per texel, and coarser levels in which cells do not overlap
const TIME_STEPS = Math.fround(0.5497005); // equal to the number in shaders/impostor.vert

class Atlas {
  // Return the pictures of a crowd. Crowds with equal models and equal pictures share one atlas.
  static of(device, { skin, detail }, model, pool) {
    const key = JSON.stringify([skin, detail.pictures]), { atlases } = device;
    if (!atlases.has(key)) atlases.set(key, new Atlas(device, detail.pictures, model, pool));
    return atlases.get(key);
  }

  constructor(device, described, model, pool) {
    this.device = device;
    this.gl = device.gl;
    this.described = described;
    this.meshes = model[described.level];
    this.table = pool.array(described.clips);
    this.palettes = pool.array(described.palettes);
    this.boxValues = pool.array(described.boxes);
    this.body = described.body ? new Sheet(described.body, pool) : null;
    this.colors = null; // texture, made at the first use
  }

  // Return the number of pictures over a clip.
  phases(clip) {
    return this.table[8 * clip + 6];
  }

  get clipCount() {
    return this.table.length / 8;
  }

  // Return the picture of a clip at a phase. Each actor rounds the phase with another offset.
  pictureOf(clip, phase, number) {
    const chance = Math.fround(number * TIME_STEPS) % 1, count = this.phases(clip);
    return clamp(Math.floor(phase * count + chance - 0.5), 0, count - 1);
  }

  bind(program) {
    const { device, gl } = this;
    program.setFloats("cell", ...this.described.cell);
    program.setInts("some_unlit", this.described.some_unlit ? 1 : 0);
    device.bind(UNITS.colors, gl.TEXTURE_2D_ARRAY, this.colors);
    device.bind(UNITS.normals, gl.TEXTURE_2D_ARRAY, this.normals);
    this.clips.bind(UNITS.clips);
    this.boxes.bind(UNITS.boxes);
  }

  // Draw the pictures at the first call.
  prepare() {
    if (this.colors) return;
    const { gl, device, table } = this;
    const rows = table[table.length - 3] + table[table.length - 2], [width, height] = this.described.cell;
    this.size = [YAWS * width, rows * height];
    this.clips = new Table(device);
    this.clips.write(table);
    this.boxes = new Table(device);
    this.boxes.write(this.boxValues);
    this.rows = new Table(device);
    this.rows.write(this.palettes);
    this.instances = gl.createBuffer();
    this.colors = this.layers(gl.SRGB8_ALPHA8);
    this.normals = this.layers(gl.RGBA8);
    this.drawLayers();
    for (const texture of [this.colors, this.normals]) {
      device.bind(UNITS.base_texture, gl.TEXTURE_2D_ARRAY, texture);
      gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
    }
    gl.deleteBuffer(this.instances);
    gl.deleteTexture(this.rows.texture);
  }

  // Delete the pictures, because the textures of the character have changed.
  clear() {
    if (!this.colors) return;
    const { colors, normals, clips, boxes } = this;
    for (const texture of [colors, normals, clips.texture, boxes.texture]) this.gl.deleteTexture(texture);
    this.colors = null;
  }

  layers(storage) {
    const { gl } = this, target = gl.TEXTURE_2D_ARRAY, texture = gl.createTexture();
    this.device.bind(UNITS.base_texture, target, texture);
    gl.texStorage3D(target, ATLAS_COARSER + 1, storage, ...this.size, ELEVATIONS);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(target, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(target, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return texture;
  }

  drawLayers() {
    const { gl } = this, images = [gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1];
    const drawn = gl.createFramebuffer();
    const storages = [[images[0], gl.SRGB8_ALPHA8], [images[1], gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24]];
    const buffers = storages.map(([attachment, storage]) => this.attached(drawn, attachment, storage, ATLAS_SAMPLES));
    gl.drawBuffers(images);
    const means = storages.slice(0, 2).map(([, storage]) => {
      const framebuffer = gl.createFramebuffer();
      return [framebuffer, this.attached(framebuffer, gl.COLOR_ATTACHMENT0, storage, 0)];
    });
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    for (let layer = 0; layer < ELEVATIONS; layer++) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, drawn);
      gl.viewport(0, 0, ...this.size);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
      gl.clearBufferfv(gl.COLOR, 1, [0.5, 0.5, 0.5, 0]);
      for (let clip = 0; clip < this.clipCount; clip++) this.drawClip(clip, layer);
      means.forEach(([framebuffer], image) => this.resolve(drawn, image, framebuffer, layer));
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    for (const buffer of [...buffers, ...means.map(([, own]) => own)]) gl.deleteRenderbuffer(buffer);
    for (const framebuffer of [drawn, ...means.map(([own]) => own)]) gl.deleteFramebuffer(framebuffer);
  }

  // Return a new image of a framebuffer, which becomes the current framebuffer.
  attached(framebuffer, attachment, storage, samples) {
    const { gl } = this, buffer = gl.createRenderbuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
    gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, storage, ...this.size);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, attachment, gl.RENDERBUFFER, buffer);
    return buffer;
  }

  // Write the mean of each texel's samples to a layer. Some browsers cannot resolve samples into a layer directly.
  resolve(drawn, image, mean, layer) {
    const { gl } = this;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, drawn);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, mean);
    gl.readBuffer(gl.COLOR_ATTACHMENT0 + image);
    gl.blitFramebuffer(0, 0, ...this.size, 0, 0, ...this.size, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, mean);
    this.device.bind(UNITS.base_texture, gl.TEXTURE_2D_ARRAY, image ? this.normals : this.colors);
    gl.copyTexSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, 0, 0, ...this.size);
  }

  // Draw one copy of the character for each phase and each yaw of a clip.
  drawClip(clip, layer) {
    const { gl, device } = this, count = this.phases(clip) * YAWS, first = this.table[8 * clip + 5];
    const elevation = ((Math.PI / 2) * layer) / (ELEVATIONS - 1), half = this.halfSize(clip, elevation);
    const height = this.described.cell[1];
    gl.viewport(0, first * height, this.size[0], this.phases(clip) * height);
    device.writeFrame(this.straight(clip, elevation, half));
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, this.allSides(clip, elevation, half), gl.DYNAMIC_DRAW);
    for (const mesh of this.meshes) {
      const program = device.use("skinned.vert", "impostor_texel.frag", meshDefines(mesh.described, false, false));
      (mesh.described.is_culled ? gl.enable : gl.disable).call(gl, gl.CULL_FACE);
      mesh.bind(program, this);
      mesh.draw(this.instances, 0, count);
    }
  }

  bindRows(program) {
    this.rows.bind(UNITS.played_rows);
    program.setInts("row_entries", this.described.entries);
  }

  bindMorphs() {} // characters with morph targets have no impostors

  // Return half the width and half the height of a cell [rig unit].
  halfSize(clip, elevation) {
    const radius = this.table[8 * clip + 3], halfHeight = this.table[8 * clip + 4];
    const size = [radius, halfHeight * Math.cos(elevation) + radius * Math.sin(elevation)];
    return this.described.cell.map((texels, k) => (size[k] * texels) / (texels - 2 * CELL_BORDER));
  }

  // Return the frame data of a parallel view that contains all cells of a clip at one elevation.
  straight(clip, elevation, half) {
    const size = [2 * half[0] * YAWS, 2 * half[1] * this.phases(clip)];
    const [right, up, back] = sideAxes(0, elevation);
    const depth = 2 * (this.table[8 * clip + 3] + this.table[8 * clip + 4]);
    const rows = [[...scaled(right, 2 / size[0]), -1], [...scaled(up, 2 / size[1]), -1], [...scaled(back, -1 / depth), 0]];
    const data = new Float32Array(FRAME_FLOATS);
    rows.forEach((row, index) => row.forEach((value, column) => (data[4 * column + index] = value)));
    data[15] = 1;
    return data;
  }

  allSides(clip, elevation, half) {
    const phases = this.phases(clip), floats = new Float32Array(INSTANCE_FLOATS * phases * YAWS);
    const integers = new Int32Array(floats.buffer), [right, up] = sideAxes(0, elevation);
    const centre = this.table.subarray(8 * clip, 8 * clip + 3);
    const firstPose = this.described.first_poses[clip];
    for (let index = 0; index < phases * YAWS; index++) {
      const phase = Math.floor(index / YAWS), turn = index % YAWS, yaw = (2 * Math.PI * turn) / YAWS;
      const middle = add(scaled(right, (2 * turn + 1) * half[0]), scaled(up, (2 * phase + 1) * half[1]));
      const moved = sideAxes(yaw, 0).map((axis) => dot(axis, centre)); // the copy turns around its own axis
      const at = INSTANCE_FLOATS * index, row = firstPose + phase;
      floats.set([...subtract(middle, moved), 1, 0, Math.sin(-yaw / 2), 0, Math.cos(yaw / 2)], at);
      integers[at + 14] = this.described.variants[clip];
      floats.set([row, row, 0, 1, 0, 0, 0, 0], at + 16);
    }
    return floats;
  }
}

// Return three unit vectors of a picture: right, up, and towards the eye.
function sideAxes(yaw, elevation) {
  const sy = Math.sin(yaw), cy = Math.cos(yaw), se = Math.sin(elevation), ce = Math.cos(elevation);
  return [[cy, 0, -sy], [-sy * se, ce, -cy * se], [sy * ce, se, cy * ce]];
}

// Poses of the impostors of crowds whose poses are in the file. An actor shows the pose that is nearest to its own
// pose, as in ecs_anim/levels/posed_impostors.py.
class Sheet {
  constructor(described, pool) {
    this.entries = pool.array(described.entries);
    this.places = pool.array(described.places);
    this.points = pool.array(described.points);
    this.middles = pool.array(described.middles);
    this.own = new Float64Array(3 * this.entries.length);
    this.shift = [0, 0, 0];
    this.pose = 0;
  }

  // Find the pose that is nearest to a row of matrices. Return the distance [rig unit], and keep the number of the pose
  // and the offset of the body.
  find(rows, from) {
    const { entries, places, points, own, middles } = this, count = entries.length, middle = [0, 0, 0];
    for (let point = 0; point < count; point++) {
      const at = from + 12 * entries[point];
      for (let axis = 0; axis < 3; axis++) {
        let sum = 0;
        for (let column = 0; column < 4; column++) sum += rows[at + 4 * axis + column] * places[4 * point + column];
        own[3 * point + axis] = sum;
        middle[axis] += sum / count;
      }
    }
    for (let k = 0; k < own.length; k++) own[k] -= middle[k % 3];
    let best = Infinity;
    for (let pose = 0; pose < points.length / own.length; pose++) {
      let square = 0;
      for (let k = 0; k < own.length && square < best; k++) square += (points[own.length * pose + k] - own[k]) ** 2;
      if (square < best) [best, this.pose] = [square, pose];
    }
    this.shift = middle.map((value, axis) => value - middles[3 * this.pose + axis]);
    return Math.sqrt(best / count);
  }
}
