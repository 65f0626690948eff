// Ribbons on the ground along the paths of the last seconds.

const PATH_WIDTH = 0.07; // [m]
const PATH_LIFT = 0.03; // [m] above the ground
const RING_PARTS = 24;
const RIBBON_FLOATS = 6; // position 3, colour 3

class PathRibbons {
  constructor(device) {
    const gl = (this.gl = device.gl);
    this.device = device;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [location, offset] of [[0, 0], [1, 12]]) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 4 * RIBBON_FLOATS, offset);
    }
    gl.bindVertexArray(null);
    this.count = 0;
  }

  begin() {
    this.corners = [];
  }

  // Add the paths of shown actors up to a time. `color(crowd, actor)` returns linear RGB.
  addPaths(tracks, time, shows, color) {
    const last = tracks.moment(time), first = Math.max(last - Math.round(PATH_SECONDS / GRID), 0);
    tracks.motion.crowds.forEach((crowd, number) => {
      for (let index = 0; index < crowd.count; index++) {
        if (!shows(number, index)) continue;
        const actor = crowd.actor[index];
        const points = [];
        for (let moment = first; moment <= last; moment++) points.push(tracks.position(moment, number, actor));
        points.push(crowd.placement.subarray(8 * index, 8 * index + 3));
        const rgb = color(number, actor);
        for (let k = 1; k < points.length; k++) addSegment(this.corners, points[k - 1], points[k], rgb);
      }
    });
  }

  // Add a ring on the ground around a point.
  addRing(place, radius, rgb) {
    const point = (k) => {
      const angle = (2 * Math.PI * k) / RING_PARTS;
      return add(place, [radius * Math.cos(angle), 0, radius * Math.sin(angle)]);
    };
    for (let k = 0; k < RING_PARTS; k++) addSegment(this.corners, point(k), point(k + 1), rgb);
  }

  send() {
    this.count = this.corners.length / RIBBON_FLOATS;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, new Float32Array(this.corners), this.gl.DYNAMIC_DRAW);
  }

  draw() {
    if (!this.count) return;
    const { gl } = this;
    this.device.use("path.vert", "path.frag");
    gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLES, 0, this.count);
    gl.enable(gl.CULL_FACE);
  }
}

// Add two triangles from `a` to `b`. Segments without a length or with an unknown end add nothing.
function addSegment(corners, a, b, rgb) {
  if (!a || !b) return;
  const along = [b[0] - a[0], b[2] - a[2]], length = Math.hypot(...along);
  if (length < 1e-3 || length > 10) return;
  const side = [(-along[1] / length) * (PATH_WIDTH / 2), (along[0] / length) * (PATH_WIDTH / 2)];
  const corner = (p, sign) => corners.push(p[0] + sign * side[0], p[1] + PATH_LIFT, p[2] + sign * side[1], ...rgb);
  for (const [p, sign] of [[a, 1], [a, -1], [b, 1], [b, 1], [a, -1], [b, -1]]) corner(p, sign);
}
