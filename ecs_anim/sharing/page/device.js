// Shader programs, buffers and textures of WebGL 2.

const TABLE_WIDTH = 2048; // columns of a texture that replaces a texture buffer; equals the number in shaders.py
const UNITS = {
  played_rows: 0, base_texture: 1, picture: 1, shadow_map: 2, morph_deltas: 3, morph_weights: 4, contacts: 5,
  figure_deltas: 6, emissive_texture: 7, noise: 8, colors: 1, normals: 3, clips: 4, boxes: 5,
};

class Device {
  constructor(canvas, shaders) {
    // The page draws into another image and copies it to the canvas, so the canvas needs no samples and no depth.
    const settings = { antialias: false, depth: false, alpha: false, preserveDrawingBuffer: true };
    const gl = canvas.getContext("webgl2", settings);
    if (!gl) throw new Error("This browser does not offer WebGL 2. Open the file in a current browser with a GPU.");
    this.gl = gl;
    this.shaders = shaders;
    this.programs = new Map();
    this.atlases = new Map(); // impostor pictures, by their description
    this.anisotropy = gl.getExtension("EXT_texture_filter_anisotropic");
    this.samples = Math.min(FULL.samples, gl.getParameter(gl.MAX_SAMPLES));
    this.largest = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    this.isSoftware = isSoftware(gl);
    this.postponed = []; // work that the first picture of a software renderer does not need
    this.finished = []; // promises of this work
    this.frameBuffer = gl.createBuffer();
  }

  // Return the program of two shader files with defines. The browser compiles the program in the background.
  compile(vertex, fragment, defines = []) {
    const key = [vertex, fragment, ...defines].join("|");
    if (!this.programs.has(key)) this.programs.set(key, new Program(this, vertex, fragment, defines));
    return this.programs.get(key);
  }

  // Return such a program, and make it the current program.
  use(vertex, fragment, defines) {
    const program = this.compile(vertex, fragment, defines);
    this.gl.useProgram(program.name);
    program.finish();
    return program;
  }

  buffer(target, data) {
    const buffer = this.gl.createBuffer();
    this.gl.bindBuffer(target, buffer);
    this.gl.bufferData(target, data, this.gl.STATIC_DRAW);
    return buffer;
  }

  bind(unit, target, texture) {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(target, texture);
  }

  // Do work now, or with a software renderer after the first picture.
  later(work) {
    if (this.isSoftware) this.postponed.push(work);
    else work();
  }

  // Do the postponed work. The promise waits for the images.
  finish() {
    this.finished.push(...this.postponed.splice(0).map((work) => work()));
    return Promise.all(this.finished);
  }

  writeFrame(data) {
    const gl = this.gl;
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.frameBuffer);
    gl.bufferData(gl.UNIFORM_BUFFER, data, gl.DYNAMIC_DRAW);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, this.frameBuffer);
  }
}

// Return the text of a GLSL file with its included files. Each file is included once.
function shaderText(files, name, known = new Set()) {
  known.add(name);
  return files[name].replace(/^#include "(.*)"$/gm, (_, own) => (known.has(own) ? "" : shaderText(files, own, known)));
}

class Program {
  constructor(device, vertex, fragment, defines) {
    const gl = (this.gl = device.gl);
    this.files = [vertex, fragment];
    const head = `#version 300 es\n${defines.map((define) => `#define ${define}\n`).join("")}`;
    this.name = gl.createProgram();
    const stages = [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]];
    this.shaders = stages.map(([kind, file]) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, head + device.shaders.head + shaderText(device.shaders, file));
      gl.compileShader(shader);
      gl.attachShader(this.name, shader);
      return shader;
    });
    gl.linkProgram(this.name);
    this.places = null; // known after the compilation
  }

  // Wait for the compilation of the current program, and set the samplers. Do this at the first call only.
  finish() {
    if (this.places) return;
    const { gl, shaders } = this;
    if (!gl.getProgramParameter(this.name, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = [...shaders.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(this.name)];
      throw new Error(`The browser cannot compile the shaders ${this.files.join(" and ")}: ${logs.join(" ").trim()}`);
    }
    this.places = new Map();
    const block = gl.getUniformBlockIndex(this.name, "Frame");
    if (block !== gl.INVALID_INDEX) gl.uniformBlockBinding(this.name, block, 0);
    for (const [sampler, unit] of Object.entries(UNITS)) this.setInts(sampler, unit);
  }

  place(name) {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.name, name));
    return this.places.get(name);
  }

  setInts(name, ...values) {
    const place = this.place(name);
    if (place) this.gl[`uniform${values.length}iv`](place, values);
  }

  setFloats(name, ...values) {
    const place = this.place(name);
    if (place) this.gl[`uniform${values.length}fv`](place, values);
  }
}

// A table of texels with four numbers, in place of a texture buffer.
class Table {
  constructor(device) {
    this.device = device;
    this.gl = device.gl;
    this.texture = null;
    this.lines = 0;
  }

  // Write the texels from the number `first` on. `values` has all texels of the table, four numbers each. The table
  // keeps its content while the number of texels is at most `capacity`.
  write(values, count = values.length / 4, first = 0, capacity = count) {
    const gl = this.gl;
    if (this.reserve(Math.max(Math.ceil(capacity / TABLE_WIDTH), 1), values.subarray(0, 4 * count))) return;
    const from = Math.floor(first / TABLE_WIDTH), full = Math.floor(count / TABLE_WIDTH), rest = count % TABLE_WIDTH;
    const send = (line, lines, width) => {
      const start = 4 * TABLE_WIDTH * line, part = values.subarray(start, start + 4 * width * lines);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, line, width, lines, gl.RGBA, gl.FLOAT, part);
    };
    if (full > from) send(from, full - from, TABLE_WIDTH);
    if (rest) send(full, 1, rest);
  }

  // Bind the table with at least this number of lines. A larger table replaces a table that is too small, and begins
  // with `values`. Return whether the table is new.
  reserve(lines, values = []) {
    const gl = this.gl, isNew = lines > this.lines;
    if (lines > this.device.largest) {
      throw new Error("The recording has more poses than a texture of this browser can hold.");
    }
    if (isNew) {
      if (this.texture) gl.deleteTexture(this.texture);
      this.texture = gl.createTexture();
      this.lines = lines;
    }
    this.bind(UNITS.played_rows);
    if (!isNew) return false;
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, TABLE_WIDTH, lines);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    // Firefox prints a warning if the first write does not contain all texels.
    const texels = new Float32Array(4 * TABLE_WIDTH * lines);
    texels.set(values);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TABLE_WIDTH, lines, gl.RGBA, gl.FLOAT, texels);
    return true;
  }

  bind(unit) {
    this.device.bind(unit, this.gl.TEXTURE_2D, this.texture);
  }
}

// Return the texture of an image of the file. The first picture of a software renderer uses a preview of the image.
async function loadImage(device, image, data) {
  const target = image.array ? device.gl.TEXTURE_2D_ARRAY : device.gl.TEXTURE_2D;
  const load = async (files) => makeTexture(device, target, await decoded(files, data), image.repeat);
  if (!device.isSoftware) return { target, texture: await load(image.layers) };
  const loaded = { target, texture: await load(image.previews) };
  device.later(async () => {
    const preview = loaded.texture;
    loaded.texture = await load(image.layers);
    device.gl.deleteTexture(preview);
  });
  return loaded;
}

// Return the pictures in PNG files.
function decoded(files, data) {
  const options = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
  return Promise.all(
    files.map(({ at, count }) => createImageBitmap(new Blob([data.subarray(at, at + count)]), options)),
  );
}

// Return a texture with these pictures as layers, and with mipmaps. Close the pictures.
function makeTexture(device, target, pictures, isRepeated) {
  const { gl } = device, [{ width, height }] = pictures;
  const texture = gl.createTexture(), levels = 1 + Math.floor(Math.log2(Math.max(width, height)));
  device.bind(UNITS.base_texture, target, texture);
  if (target === gl.TEXTURE_2D) gl.texStorage2D(target, levels, gl.SRGB8_ALPHA8, width, height);
  else gl.texStorage3D(target, levels, gl.SRGB8_ALPHA8, width, height, pictures.length);
  pictures.forEach((picture, layer) => {
    const rest = [gl.RGBA, gl.UNSIGNED_BYTE, picture];
    if (target === gl.TEXTURE_2D) gl.texSubImage2D(target, 0, 0, 0, width, height, ...rest);
    else gl.texSubImage3D(target, 0, 0, 0, layer, width, height, 1, ...rest);
    picture.close();
  });
  gl.generateMipmap(target);
  const wrap = isRepeated ? gl.REPEAT : gl.CLAMP_TO_EDGE;
  gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  gl.texParameteri(target, gl.TEXTURE_WRAP_S, wrap);
  gl.texParameteri(target, gl.TEXTURE_WRAP_T, wrap);
  if (device.anisotropy && !device.isSoftware) {
    gl.texParameterf(target, device.anisotropy.TEXTURE_MAX_ANISOTROPY_EXT, 8);
  }
  return texture;
}

// Software renderers are slow with anisotropic filters. Firefox gives the name of the GPU without an extension.
function isSoftware(gl) {
  const name = gl.getParameter(gl.RENDERER);
  const info = /^WebKit/.test(name) ? gl.getExtension("WEBGL_debug_renderer_info") : null;
  return /swiftshader|llvmpipe|software/i.test(info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : name);
}
