// The renderer of pictures. It draws in the order of ecs_anim/gl/picture/renderer.py.

const SLOPE_OFFSET = 2, UNIT_OFFSET = 4; // depth offset, so that open meshes do not cast shadows on themselves
const LEVEL_SECONDS = 1; // [s]; if two pictures are farther apart in time, their levels of detail are independent
const FRONT_DEPTH = 1 / 64; // fraction of the depth range for bones that are drawn in front of all other objects

// Qualities of a picture: samples per pixel, whether the picture has shadows and patterns of materials, and the detail
// of meshes. A detail of 1 / 8 permits eight times the errors.
const FULL = { detail: 1, samples: 4, hasShadows: true, hasPatterns: true };
const DRAFT = { ...FULL, detail: 1 / 8, samples: 0 };
const FIRST_DRAFT = { ...DRAFT, hasShadows: false, hasPatterns: false };

class Renderer {
  constructor(device, scene, crowds, surfaces, backdrop) {
    Object.assign(this, { device, scene, crowds, surfaces, backdrop });
    this.gl = device.gl;
    this.target = new Target(device);
    this.map = null; // made for the first picture with shadows
    this.quad = this.gl.createVertexArray();
    this.noise = null;
    device.later(() => (this.noise = noiseTexture(device))); // for patterns of materials
    this.time = -Infinity; // of the previous picture
    this.ribbons = new PathRibbons(device);
  }

  // Draw a picture of the sampled actors. `time` [s] is the time of the recording, for surfaces and water.
  draw(view, width, height, time = 0, quality = FULL) {
    const { gl, scene, device } = this;
    const fit = scene.light.shadows === "map" && quality.hasShadows ? fitSun(scene.light, view) : null;
    if (Math.abs(time - this.time) > LEVEL_SECONDS) for (const crowd of this.crowds) crowd.forget();
    this.time = time;
    const planes = new Planes(view, quality.detail * height, fit);
    for (const crowd of this.crowds) {
      crowd.place(time);
      crowd.prepare(planes);
    }
    device.writeFrame(frameData(scene, view, fit, scene.time + time));
    device.bind(UNITS.shadow_map, gl.TEXTURE_2D, this.map && this.map.texture);
    device.bind(UNITS.noise, gl.TEXTURE_2D, this.noise);
    const surfaces = this.shownSurfaces(time);
    if (fit) this.drawMap(surfaces);
    this.target.begin(width, height, Math.min(quality.samples, device.samples));
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
    if (scene.ground?.plane) this.backdrop.drawGround(quality.hasPatterns);
    for (const surface of surfaces) surface.shade(quality.hasPatterns);
    this.ribbons.draw();
    if (scene.ground && scene.light.shadows !== "none" && quality.hasShadows) this.drawContacts();
    const hasShadows = fit !== null;
    for (const crowd of this.crowds) {
      if (crowd.skin) this.drawCrowd(crowd, crowd.skin, hasShadows);
      else if (crowd.bones) this.drawCrowd(crowd, crowd.bones, hasShadows);
      if (crowd.pictured[1]) this.drawImpostors(crowd, hasShadows);
    }
    this.backdrop.drawSky();
    this.drawInFront(view, time);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.CULL_FACE);
    this.target.present(width, height);
  }

  // Place the surfaces at a time of the recording [s]. Return the visible surfaces.
  shownSurfaces(time) {
    for (const surface of this.surfaces) surface.place(time);
    return this.surfaces.filter((surface) => surface.isShown(time, this.storeys));
  }

  drawCrowd(crowd, model, hasShadows) {
    const { gl, device } = this;
    crowd.eachMesh(model, (mesh, first, count, isFar) => {
      const program = device.use("skinned.vert", "skinned.frag", [
        ...meshDefines(mesh.described, hasShadows, isFar), ...crowd.paint,
      ]);
      (mesh.described.is_culled ? gl.enable : gl.disable).call(gl, gl.CULL_FACE);
      mesh.bind(program, crowd);
      mesh.draw(crowd.instances, first, count);
    });
    gl.enable(gl.CULL_FACE);
  }

  drawImpostors(crowd, hasShadows) {
    const { gl, device } = this, [first, count] = crowd.pictured;
    const samples = Math.max(this.target.samples, 1);
    this.target.numberSamples();
    const defines = ["NAMED", "ONE_SAMPLE", `SAMPLES ${samples}`, ...(hasShadows ? ["SHADOWS"] : []), ...crowd.paint];
    const program = device.use("impostor.vert", "impostor.frag", defines);
    crowd.atlas.bind(program);
    gl.disable(gl.CULL_FACE);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.KEEP);
    gl.bindVertexArray(this.quad);
    pointInstances(gl, crowd.instances, first);
    for (let sample = 0; sample < samples; sample++) {
      gl.stencilFunc(gl.EQUAL, samples - 1 - sample, 255);
      program.setInts("sample_number", sample);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }
    gl.disable(gl.STENCIL_TEST);
    gl.enable(gl.CULL_FACE);
  }

  drawInFront(view, time) {
    const { gl, device } = this;
    const crowds = this.crowds.filter((crowd) => crowd.isInFront);
    if (!crowds.length) return;
    device.writeFrame(frameData(this.scene, view, null, this.scene.time + time));
    gl.depthRange(0, FRONT_DEPTH);
    for (const crowd of crowds) this.drawCrowd(crowd, crowd.bones, false);
    gl.depthRange(0, 1);
  }

  drawContacts() {
    const { gl, device } = this;
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ZERO, gl.SRC_COLOR);
    gl.disable(gl.CULL_FACE);
    const program = device.use("contact.vert", "contact.frag");
    gl.bindVertexArray(this.quad);
    for (const crowd of this.crowds) {
      if (!(crowd.look.shadow_radius > 0 && crowd.count)) continue;
      program.setFloats("radius", crowd.look.shadow_radius);
      program.setInts("ground", crowd.contacts ? 1 : this.scene.is_uneven ? 2 : 0);
      if (crowd.contacts) crowd.contacts.bind(UNITS.contacts);
      else crowd.rows.bind(UNITS.contacts);
      pointInstances(gl, crowd.instances, 0);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, crowd.count);
    }
    gl.enable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  // Draw the depths that the sun sees. For closed meshes, only the back faces are drawn.
  drawMap(surfaces) {
    const { gl, device } = this;
    this.map ??= new DepthMap(device);
    this.map.begin();
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.polygonOffset(SLOPE_OFFSET, UNIT_OFFSET);
    device.use("shadow_surface.vert", "shadow.frag", ["CLAMPED_DEPTH"]).setFloats("base_color", 1, 1, 1, 1);
    for (const surface of surfaces) {
      this.cull(surface.described.is_culled, false);
      surface.draw();
    }
    for (const crowd of this.crowds) {
      crowd.eachCaster((mesh, first, count) => {
        const { caster, is_closed: isClosed, is_mirrored: isMirrored } = mesh.described;
        if (!caster) return;
        const program = device.use("shadow.vert", "shadow.frag", caster);
        this.cull(isClosed, isMirrored);
        mesh.bind(program, crowd);
        mesh.draw(crowd.instances, first, count);
      });
    }
    this.cull(true, false);
    gl.cullFace(gl.BACK);
    this.map.end();
  }

  cull(isClosed, byShader) {
    const { gl } = this;
    if (isClosed) {
      (byShader ? gl.disable : gl.enable).call(gl, gl.CULL_FACE);
      gl.cullFace(gl.FRONT);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    } else {
      gl.disable(gl.CULL_FACE);
      gl.enable(gl.POLYGON_OFFSET_FILL);
    }
  }
}

// The picture with several samples per pixel, and its mean. Both have linear colours that are stored as sRGB.
class Target {
  constructor(device) {
    this.device = device;
    this.gl = device.gl;
    this.width = this.height = this.samples = 0;
    this.array = this.gl.createVertexArray();
  }

  begin(width, height, samples) {
    const { gl } = this;
    if (width !== this.width || height !== this.height || samples !== this.samples) this.make(width, height, samples);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.drawn);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    this.hasNumbers = false;
  }

  // Write to the stencil buffer how many samples of a pixel come after each sample, so that a pass can draw one sample.
  numberSamples() {
    const { gl, samples } = this;
    if (this.hasNumbers) return;
    this.hasNumbers = true;
    this.device.use("present.vert", "present.frag");
    gl.bindVertexArray(this.array);
    gl.colorMask(false, false, false, false);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.CULL_FACE);
    gl.enable(gl.STENCIL_TEST);
    gl.enable(gl.SAMPLE_COVERAGE);
    gl.stencilFunc(gl.ALWAYS, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    for (let count = 1; count < samples; count++) {
      gl.sampleCoverage(count / samples, false);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    gl.disable(gl.SAMPLE_COVERAGE);
    gl.disable(gl.STENCIL_TEST);
    gl.enable(gl.DEPTH_TEST);
    gl.colorMask(true, true, true, true);
  }

  make(width, height, samples) {
    const { gl } = this;
    for (const name of this.kept ?? []) name();
    const color = gl.createRenderbuffer(), depth = gl.createRenderbuffer(), mean = gl.createTexture();
    this.drawn = gl.createFramebuffer();
    this.resolved = gl.createFramebuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, color);
    gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, gl.SRGB8_ALPHA8, width, height);
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, gl.DEPTH24_STENCIL8, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.drawn);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, color);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_STENCIL_ATTACHMENT, gl.RENDERBUFFER, depth);
    this.device.bind(UNITS.picture, gl.TEXTURE_2D, mean);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.SRGB8_ALPHA8, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.resolved);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, mean, 0);
    Object.assign(this, { width, height, samples, mean });
    this.kept = [
      () => [color, depth].forEach((name) => gl.deleteRenderbuffer(name)),
      () => [this.drawn, this.resolved].forEach((name) => gl.deleteFramebuffer(name)),
      () => gl.deleteTexture(mean),
    ];
  }

  // Compute the means of the samples, and draw the picture on the canvas.
  present(width, height) {
    const { gl } = this;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.drawn);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, this.resolved);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    this.device.use("present.vert", "present.frag");
    this.device.bind(UNITS.picture, gl.TEXTURE_2D, this.mean);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
}

class DepthMap {
  constructor(device) {
    const gl = (this.gl = device.gl);
    this.device = device;
    this.texture = gl.createTexture();
    device.bind(UNITS.shadow_map, gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, MAP_SIZE, MAP_SIZE);
    const settings = {
      TEXTURE_MIN_FILTER: gl.LINEAR, TEXTURE_MAG_FILTER: gl.LINEAR,
      TEXTURE_WRAP_S: gl.CLAMP_TO_EDGE, TEXTURE_WRAP_T: gl.CLAMP_TO_EDGE,
      TEXTURE_COMPARE_MODE: gl.COMPARE_REF_TO_TEXTURE, TEXTURE_COMPARE_FUNC: gl.LEQUAL,
    };
    for (const [name, value] of Object.entries(settings)) gl.texParameteri(gl.TEXTURE_2D, gl[name], value);
    this.framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.readBuffer(gl.NONE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // OpenGL cannot read a texture while it draws into the texture. Therefore, the map is not bound until the end.
  begin() {
    const { gl } = this;
    this.device.bind(UNITS.shadow_map, gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.framebuffer);
    gl.viewport(0, 0, MAP_SIZE, MAP_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
  }

  end() {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.device.bind(UNITS.shadow_map, gl.TEXTURE_2D, this.texture);
  }
}
