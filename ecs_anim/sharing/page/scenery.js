// Surfaces, the ground plane and the sky.

const GROUND_CELLS = 32; // cells per side of the ground plane
const PATTERNS = ["PAVING", "ASPHALT", "GRASS", "GRID", "TILES", "PLANKS", "BRICKS", "CONCRETE", "GLASS", "WATER"]; // materials; "PLAIN" has their mean colour

function withoutPattern(defines) {
  return defines.map((name) => (PATTERNS.includes(name) ? "PLAIN" : name));
}

class SurfaceMesh {
  constructor(device, described, pool, images) {
    const gl = (this.gl = device.gl);
    this.device = device;
    this.described = described;
    this.image = described.image === null ? null : images[described.image];
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.buffers = {};
    for (const [name, column] of Object.entries(described.columns)) {
      this.buffers[name] = pointAttribute(device, name, pool.array(column), name === "uv" ? 2 : 3);
    }
    const indices = pool.array(described.indices);
    device.buffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.bindVertexArray(null);
    this.count = indices.length;
  }

  // Move the surface to its place at a time [s].
  place() {}

  // Return whether the surface exists at a time [s], and is on a shown storey.
  isShown(time, storeys) {
    const { changes, storey } = this.described;
    return storeys.shows(storey) && (!changes || changes.filter((change) => change <= time).length % 2 === 1);
  }

  draw() {
    this.gl.bindVertexArray(this.array);
    this.gl.drawElements(this.gl.TRIANGLES, this.count, this.gl.UNSIGNED_INT, 0);
  }

  shade(hasPatterns) {
    const { gl, described, device } = this;
    const defines = hasPatterns ? described.defines : withoutPattern(described.defines);
    const program = device.use("surface.vert", "surface.frag", defines);
    program.setFloats("tile_color", ...described.tile_color);
    program.setFloats("line_color", ...described.line_color);
    if (this.image) device.bind(UNITS.base_texture, this.image.target, this.image.texture);
    (described.is_culled ? gl.enable : gl.disable).call(gl, gl.CULL_FACE);
    this.draw();
    gl.enable(gl.CULL_FACE);
  }
}

// A surface whose vertices move between known shapes. ecs_anim/ground/moving.py describes such surfaces.
class MovingSurface extends SurfaceMesh {
  constructor(device, described, pool, images) {
    super(device, described, pool, images);
    const { movement } = described;
    this.rows = pool.array(movement.rows); // rows of time [s], state and rise [m]
    this.shapes = movement.shapes.map((shape) => pool.array(shape));
    this.positions = new Float32Array(this.shapes[0].length);
    this.rise = 0;
  }

  place(time) {
    const { gl, positions, shapes, rows } = this, { states, is_endless: isEndless } = this.described.movement;
    const [found, rise] = valuesAt(rows, 3, time);
    const state = isEndless ? found - Math.floor(found) : found;
    const low = lastUpTo(states.length, (k) => states[k], state), high = Math.min(low + 1, states.length - 1);
    const part = high > low ? clamp((state - states[low]) / (states[high] - states[low]), 0, 1) : 0;
    const [from, to] = [shapes[low], shapes[high]];
    for (let k = 0; k < positions.length; k++) {
      positions[k] = from[k] + part * (to[k] - from[k]) + (k % 3 === 1 ? rise : 0);
    }
    this.rise = rise;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.position);
    gl.bufferData(gl.ARRAY_BUFFER, positions, gl.DYNAMIC_DRAW);
  }

  isShown(time, storeys) {
    return this.described.movement.rides ? storeys.showsHeight(this.rise) : super.isShown(time, storeys);
  }
}

// Return the values of a movement at a time [s]. The movement has `width` numbers per row: the time and the values.
function valuesAt(rows, width, time) {
  const count = rows.length / width, row = width * lastUpTo(count, (k) => rows[width * k], time);
  const next = Math.min(row + width, rows.length - width), seconds = rows[next] - rows[row];
  const share = seconds ? clamp((time - rows[row]) / seconds, 0, 1) : 0;
  return Array.from(rows.subarray(row + 1, row + width), (value, k) => value + share * (rows[next + 1 + k] - value));
}

// Return the number of the last of `count` ascending values that is at most `value`, or 0.
function lastUpTo(count, valueOf, value) {
  let low = 0, high = Math.max(count - 1, 0);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (valueOf(middle) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

// The shaders compute the vertices of the ground plane and of the sky.
class Backdrop {
  constructor(device, ground, images) {
    this.device = device;
    this.gl = device.gl;
    this.material = ground?.material ?? "GRID";
    this.picture = ground?.picture ?? null;
    this.image = this.picture ? images[this.picture.image] : null;
    this.array = this.gl.createVertexArray();
  }

  drawGround(hasPatterns) {
    const { gl, device, picture } = this;
    const defines = [`CELLS ${GROUND_CELLS}`, this.material, ...(picture ? ["PICTURE"] : [])];
    const program = device.use("ground.vert", "ground.frag", hasPatterns ? defines : withoutPattern(defines));
    if (picture) {
      device.bind(UNITS.picture, this.image.target, this.image.texture);
      picture.rows.forEach((row, index) => program.setFloats(`picture_rows[${index}]`, ...row));
    }
    gl.bindVertexArray(this.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 2 * (GROUND_CELLS + 1), GROUND_CELLS);
  }

  drawSky() {
    const { gl } = this;
    this.device.use("sky.vert", "sky.frag");
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
}
