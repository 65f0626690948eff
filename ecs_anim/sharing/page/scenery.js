// Surfaces, the ground plane and the sky.

const GROUND_CELLS = 32; // cells per side of the ground plane

class SurfaceMesh {
  constructor(device, described, pool, images) {
    const gl = (this.gl = device.gl);
    this.device = device;
    this.described = described;
    this.image = described.image === null ? null : images[described.image];
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    for (const [name, column] of Object.entries(described.columns)) {
      pointAttribute(device, name, pool.array(column), name === "uv" ? 2 : 3);
    }
    const indices = pool.array(described.indices);
    device.buffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.bindVertexArray(null);
    this.count = indices.length;
  }

  draw() {
    this.gl.bindVertexArray(this.array);
    this.gl.drawElements(this.gl.TRIANGLES, this.count, this.gl.UNSIGNED_INT, 0);
  }

  shade() {
    const { gl, described, device } = this;
    const program = device.use("surface.vert", "surface.frag", described.defines);
    program.setFloats("tile_color", ...described.tile_color);
    program.setFloats("line_color", ...described.line_color);
    if (this.image) device.bind(UNITS.base_texture, this.image.target, this.image.texture);
    (described.is_culled ? gl.enable : gl.disable).call(gl, gl.CULL_FACE);
    this.draw();
    gl.enable(gl.CULL_FACE);
  }
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

  drawGround() {
    const { gl, device, picture } = this;
    const defines = [`CELLS ${GROUND_CELLS}`, this.material, ...(picture ? ["PICTURE"] : [])];
    const program = device.use("ground.vert", "ground.frag", defines);
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
