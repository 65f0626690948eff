// Meshes on the GPU. Each mesh has a vertex array with its own attributes and with the attributes of instances.

const LOCATIONS = { position: 0, normal: 1, uv: 2, palette_indices: 3, weights: 4, color: 9 };
const WIDTHS = { position: 3, normal: 3, uv: 2, palette_indices: 4, weights: 4, color: 4 };
const INSTANCE_FLOATS = 24; // place 4, rotation 4, tint 4, numbers 4, two plays of 4
const INSTANCE_LOCATIONS = [5, 6, 7, 8, 10, 11];
const NUMBERS_LOCATION = 8; // location of the only instance attribute that contains integers

class Mesh {
  constructor(device, described, pool, images) {
    const gl = (this.gl = device.gl);
    this.device = device;
    this.described = described;
    this.image = described.image === null ? null : images[described.image];
    this.glow = described.emissive_image === null ? null : images[described.emissive_image];
    this.pool = pool;
    this.array = null; // made at the first use
  }

  load() {
    const { gl, device, described, pool } = this;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    for (const [name, column] of Object.entries(described.columns)) pointAttribute(device, name, pool.array(column));
    const indices = pool.array(described.indices);
    device.buffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.bindVertexArray(null);
    this.count = indices.length;
    this.kind = indices instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT;
    this.figures = deltaTable(device, described.figures, pool);
    this.morphs = deltaTable(device, described.morphs, pool);
  }

  // Return the height of the highest vertex in bind space.
  get top() {
    const positions = this.pool.array(this.described.columns.position);
    let top = 0;
    for (let at = 1; at < positions.length; at += 3) top = Math.max(top, positions[at]);
    return top;
  }

  // Set the textures and uniforms of the mesh. `crowd` has the rows and the morph weights.
  bind(program, crowd) {
    if (!this.array) this.load();
    const { gl, described } = this;
    program.setFloats("base_color", ...described.base_color);
    if (this.image) this.device.bind(UNITS.base_texture, this.image.target, this.image.texture);
    if (this.glow) this.device.bind(UNITS.emissive_texture, this.glow.target, this.glow.texture);
    program.setFloats("emissive", ...described.emissive);
    if (described.alpha_cutoff !== null) program.setFloats("alpha_cutoff", described.alpha_cutoff);
    crowd.bindRows(program);
    if (this.figures) {
      this.figures.bind(UNITS.figure_deltas);
      program.setInts("figure_mesh", described.figures.count, described.vertex_count);
    }
    if (this.morphs) {
      this.morphs.bind(UNITS.morph_deltas);
      crowd.bindMorphs(program);
      program.setInts("morph_mesh", described.morphs.first, described.morphs.count, described.vertex_count);
    }
    gl.bindVertexArray(this.array);
  }

  draw(instances, first, count) {
    const { gl } = this;
    pointInstances(gl, instances, first);
    gl.drawElementsInstanced(gl.TRIANGLES, this.count, this.kind, 0, count);
  }
}

// Return the defines of a mesh in pictures with or without shadows. Vertices of far meshes look up the shadows.
function meshDefines({ defines }, hasShadows, isFar) {
  if (hasShadows && !isFar) return defines;
  const rest = defines.filter((name) => name !== "SHADOWS_BY_FRAGMENT");
  return hasShadows && rest.length < defines.length ? [...rest, "SHADOWS_BY_VERTEX"] : rest;
}

// Fill a new buffer with values for an attribute of the bound vertex array. Return the buffer.
function pointAttribute(device, name, values, width = WIDTHS[name]) {
  const { gl } = device;
  const buffer = device.buffer(gl.ARRAY_BUFFER, values);
  const kinds = new Map([
    [Float32Array, gl.FLOAT], [Int16Array, gl.SHORT], [Uint16Array, gl.UNSIGNED_SHORT], [Uint8Array, gl.UNSIGNED_BYTE],
  ]);
  const kind = kinds.get(values.constructor);
  gl.enableVertexAttribArray(LOCATIONS[name]);
  if (name === "palette_indices") gl.vertexAttribIPointer(LOCATIONS[name], width, kind, 0, 0);
  else gl.vertexAttribPointer(LOCATIONS[name], width, kind, name === "weights" || name === "color", 0, 0);
  return buffer;
}

// Make the instance attributes of the bound vertex array read `buffer` from the instance `first` on.
function pointInstances(gl, buffer, first) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  const stride = 4 * INSTANCE_FLOATS;
  INSTANCE_LOCATIONS.forEach((location, index) => {
    const offset = first * stride + 16 * index;
    gl.enableVertexAttribArray(location);
    gl.vertexAttribDivisor(location, 1);
    if (location === NUMBERS_LOCATION) gl.vertexAttribIPointer(location, 4, gl.INT, stride, offset);
    else gl.vertexAttribPointer(location, 4, gl.FLOAT, false, stride, offset);
  });
}

// Return a table with two texels (position, normal) per vertex of each figure or morph target.
function deltaTable(device, shapes, pool) {
  if (!shapes) return null;
  const moves = pool.array(shapes.positions), turns = pool.array(shapes.normals);
  const texels = new Float32Array((8 * moves.length) / 3);
  for (let from = 0, to = 0; from < moves.length; from += 3, to += 8) {
    for (let axis = 0; axis < 3; axis++) {
      texels[to + axis] = moves[from + axis];
      texels[to + 4 + axis] = turns[from + axis];
    }
  }
  const table = new Table(device);
  table.write(texels);
  return table;
}

// The arrays of the section "scene/data". Integers with a unit are decoded to real numbers.
class Pool {
  constructor(data) {
    this.data = data;
  }

  array({ kind, at, count, unit: step }) {
    const kinds = {
      f32: Float32Array, i32: Int32Array, u32: Uint32Array, i16: Int16Array, u16: Uint16Array, u8: Uint8Array,
    };
    const values = new kinds[kind](this.data.buffer, this.data.byteOffset + at, count);
    if (step === undefined) return values;
    const reals = new Float32Array(count);
    for (let k = 0; k < count; k++) reals[k] = values[k] * step; // much faster than Float32Array.from
    return reals;
  }
}
