// Choice of the visible actors, of their levels of detail and of shadow casters. The rules are those of
// ecs_anim/kernels/culling.py and ecs_anim/levels/posed.py.

const LEVEL_MARGIN = 1.2; // required ratio of the allowed error to the error of a coarser level
const PICTURE_MARGIN = 1.5; // the required ratio for impostors that show the nearest of several poses
const HIDDEN = -1; // level of invisible actors

// The planes of a picture and of its shadow map. A plane is an array a, b, c, d with a unit normal.
class Planes {
  constructor(view, height, fit) {
    const row = (k) => [0, 4, 8, 12].map((column) => view.viewProjection[column + k]);
    const [x, y, z, w] = [0, 1, 2, 3].map(row);
    const sum = (a, b, sign) => a.map((value, k) => value + sign * b[k]);
    this.seen = [x, y, z].flatMap((axis) => [sum(w, axis, 1), sum(w, axis, -1)]).map(unitPlane);
    this.depth = unitPlane(w);
    this.pixels = (view.focal * height) / 2; // [pixel], size of one metre at a distance of one metre
    this.focus = view.focus;
    this.texel = fit ? fit.texel : 0;
    const end = [0, 0, 0, 1];
    this.sun = fit
      ? [fit.rows[0], sum(end, fit.rows[0], -1), fit.rows[1], sum(end, fit.rows[1], -1), sum(end, fit.rows[2], -1)]
      : [];
    this.sun = this.sun.map(unitPlane);
  }
}

function unitPlane(plane) {
  const length = Math.hypot(plane[0], plane[1], plane[2]);
  return plane.map((value) => value / length);
}

// Return whether the ball x, y, z, radius is at least partly inside all planes.
function isInside(planes, ball) {
  for (const plane of planes) {
    if (plane[0] * ball[0] + plane[1] * ball[1] + plane[2] * ball[2] + plane[3] + ball[3] < 0) return false;
  }
  return true;
}

class Choice {
  // `detail` describes the levels, see ecs_anim/sharing/details.py. `numbers` is the count of actor numbers.
  constructor(detail, capacity, numbers) {
    this.detail = detail;
    this.errors = detail.errors;
    this.meshes = detail.far.length; // number of levels with meshes; higher levels are impostors
    this.levels = new Int8Array(capacity); // of each actor of the picture
    this.casts = new Uint8Array(capacity);
    this.before = new Int8Array(numbers).fill(HIDDEN); // by actor number: level in the previous picture
    this.ball = new Float64Array(4);
  }

  forget() {
    this.before.fill(HIDDEN);
  }

  // Choose for `count` actors. `crowd` has the balls, scales and numbers of actors.
  choose(crowd, count, planes) {
    const { levels, casts, before, ball, detail } = this, hasSun = planes.sun.length > 0;
    const last = this.errors.length - 1;
    for (let index = 0; index < count; index++) {
      crowd.ballOf(index, ball);
      casts[index] = hasSun && isInside(planes.sun, ball) ? 1 : 0;
      const number = crowd.numberOf(index);
      let level = HIDDEN;
      if (isInside(planes.seen, ball)) {
        const [a, b, c, d] = planes.depth;
        const nearest = Math.max(a * ball[0] + b * ball[1] + c * ball[2] + d - ball[3], 0);
        const allowed = (detail.pixel_error * nearest) / (planes.pixels * Math.max(crowd.scaleOf(index), 1e-9));
        const coarsest = crowd.isPictured(index) ? last : Math.min(last, this.meshes - 1);
        level = this.next(allowed, coarsest, before[number]);
        level = crowd.revised(index, level, allowed, before[number]);
      }
      levels[index] = before[number] = level;
    }
  }

  // Return the next level. A coarser level applies only if its error is clearly below the allowed error [rig unit].
  next(allowed, last, before) {
    const level = this.coarsest(allowed, last);
    if (before < 0 || before >= level) return level;
    return Math.max(before, this.coarsest(allowed / LEVEL_MARGIN, last));
  }

  coarsest(allowed, last) {
    let level = last;
    while (level > 0 && !(this.errors[level] <= allowed)) level--;
    return level;
  }

  // Return the level of the meshes that cast the shadows.
  caster(planes, scale) {
    const { casters } = this.detail;
    if (casters) return casters[planes.focus < NEAR_FOCUS ? 1 : 0];
    let level = this.meshes - 1;
    while (level > 0 && this.errors[level] * scale > planes.texel) level--;
    return level;
  }
}
