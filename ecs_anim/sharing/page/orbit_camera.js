// A camera that orbits a target point, as the camera of windows. Angles are in radians.

const POLE_MARGIN = Math.PI / 180; // the azimuth of a vertical view would be undefined
const ORBIT_PER_HEIGHT = Math.PI; // [rad] for a drag of one picture height
const ZOOM_PER_NOTCH = 0.88; // factor of the distance for one notch of the wheel
const NARROW = 4 / 3; // width divided by height; narrower pictures show as much width as pictures with this shape

class OrbitCamera {
  constructor(start) {
    this.start = start;
    this.reset();
  }

  reset() {
    Object.assign(this, structuredClone(this.start));
    this.highest = Math.max(Math.PI / 2 - POLE_MARGIN, this.start.elevation);
  }

  // Unit vectors to the right, up, and from the target to the camera.
  axes() {
    const yaw = Math.PI - this.azimuth;
    const flat = Math.cos(this.elevation);
    const back = [flat * Math.sin(yaw), Math.sin(this.elevation), flat * Math.cos(yaw)];
    const right = [Math.cos(yaw), 0, -Math.sin(yaw)];
    return [right, cross(back, right), back];
  }

  // Return the view for a picture with this width divided by its height.
  view(aspect) {
    const axes = this.axes();
    const eye = add(this.target, scaled(axes[2], this.distance));
    const view = viewOf(axes, eye, this.vertical_fov, aspect, this.near, this.far, this.distance);
    this.focal = view.focal;
    return view;
  }

  drag(right, up, isPan) {
    if (isPan) this.pan(-right, -up);
    else this.orbit(right * ORBIT_PER_HEIGHT, -up * ORBIT_PER_HEIGHT);
  }

  orbit(azimuth, elevation) {
    this.azimuth = (this.azimuth + azimuth) % (2 * Math.PI);
    this.elevation += elevation;
    this.limit();
  }

  zoom(factor) {
    this.distance *= factor;
    this.limit();
  }

  pan(right, up) {
    const metres = (2 * this.distance) / this.focal;
    const axes = this.axes();
    this.target = add(this.target, add(scaled(axes[0], metres * right), scaled(axes[1], metres * up)));
    if (this.ground_clearance !== null) this.target[1] = Math.max(this.target[1], 0);
    this.limit();
  }

  limit() {
    this.distance = clamp(this.distance, this.min_distance, this.max_distance);
    let lowest = this.min_elevation;
    if (this.ground_clearance !== null) {
      lowest = Math.max(lowest, Math.asin(clamp((this.ground_clearance - this.target[1]) / this.distance, -1, 1)));
    }
    this.elevation = clamp(this.elevation, lowest, this.highest);
  }
}

// Return the matrices and distances of a camera. `axes` are unit vectors to the right, up and back.
function viewOf(axes, eye, fov, aspect, near, far, focus) {
  const [right, up, back] = axes;
  const view = [0, 1, 2].flatMap((k) => [right[k], up[k], back[k], 0]).concat([
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ]);
  const focal = Math.min(aspect / NARROW, 1) / Math.tan(fov / 2), depth = near - far;
  const projection = [
    focal / aspect, 0, 0, 0, 0, focal, 0, 0, 0, 0, (near + far) / depth, -1, 0, 0, (2 * near * far) / depth, 0,
  ];
  const viewProjection = product(projection, view);
  return { axes, eye, far, focus, focal, aspect, viewProjection, inverse: inverse(viewProjection) };
}
