// The cameras of the page: the user's camera, the plan from above, and the cameras of the scene.

const PLAN_MARGIN = 1.1; // the plan shows an area that is larger than the actors' area by this factor

class Viewpoints {
  constructor(scene, pool, motion) {
    this.motion = motion;
    this.own = new OrbitCamera(scene.view);
    this.tracks = scene.cameras
      .filter((camera) => camera.poses)
      .map((camera) => ({ ...camera, poses: pool.array(camera.poses) }));
    this.shown = "own"; // "own", "plan", or the number of a scene camera
  }

  // Pairs of value and label for the list of cameras.
  get choices() {
    return [
      ["own", "Free camera"],
      ["plan", "Plan from above"],
      ...this.tracks.map((track, number) => [String(number), `Camera ${track.name}`]),
    ];
  }

  show(value) {
    if (value === "plan") this.lookDown();
    else if (this.shown === "plan" && value === "own") this.own.reset();
    this.shown = value;
  }

  // A drag in the view of a scene camera or of the plan continues with the user's camera.
  take() {
    if (this.track) {
      const { axes, eye } = this.pose(this.track, this.time);
      const back = axes[2];
      this.own.elevation = Math.asin(clamp(back[1], -1, 1));
      this.own.azimuth = Math.PI - Math.atan2(back[0], back[2]);
      this.own.distance = clamp(this.track.distance, this.own.min_distance, this.own.max_distance);
      this.own.target = subtract(eye, scaled(back, this.own.distance));
      this.own.vertical_fov = this.track.vertical_fov;
    }
    this.shown = "own";
  }

  get track() {
    return this.tracks[Number(this.shown)] ?? null;
  }

  view(time, aspect) {
    this.time = time;
    const { track } = this;
    if (!track) return this.own.view(aspect);
    const { axes, eye } = this.pose(track, time);
    return viewOf(axes, eye, track.vertical_fov, aspect, this.own.near, track.far, track.distance);
  }

  // Return the pose of a track between two recorded poses.
  pose(track, time) {
    const last = track.poses.length / 12 - 1;
    const at = clamp(time * track.frame_rate, 0, last), frame = Math.min(Math.floor(at), Math.max(last - 1, 0));
    const share = at - frame;
    const entry = (row, column) => {
      const before = track.poses[12 * frame + 4 * row + column];
      return share ? before + share * (track.poses[12 * (frame + 1) + 4 * row + column] - before) : before;
    };
    const column = (k) => [entry(0, k), entry(1, k), entry(2, k)];
    const back = unit(column(2)), right = unit(cross(column(1), back));
    return { axes: [right, cross(back, right), back], eye: column(3) };
  }

  // Put the user's camera above the actors, with north up.
  lookDown() {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (const crowd of this.motion.crowds) {
      for (let index = 0; index < crowd.count; index++) {
        [0, 2].forEach((axis, k) => {
          low[k] = Math.min(low[k], crowd.placement[8 * index + axis]);
          high[k] = Math.max(high[k], crowd.placement[8 * index + axis]);
        });
      }
    }
    this.own.reset();
    if (low[0] > high[0]) return;
    const half = Math.max((high[0] - low[0]) / 2 / NARROW, (high[1] - low[1]) / 2, 3) * PLAN_MARGIN;
    this.own.target = [(low[0] + high[0]) / 2, 0, (low[1] + high[1]) / 2];
    this.own.azimuth = Math.PI;
    this.own.elevation = this.own.highest;
    this.own.distance = clamp(half / Math.tan(this.own.vertical_fov / 2), this.own.min_distance, this.own.max_distance);
  }
}
