// Selection of actors by a click: the nearest actor whose body is at the point.

const BODY_WIDTH = 0.34; // width of a body in heights of the body
const FINGER = 12; // [pixel], smallest half width of a body on the screen

// Return { crowd, actor } of a visible actor at a point of the picture, or null. `heights` are the heights of the bodies
// [rig unit].
function pickActor(motion, people, heights, view, x, y, width, height) {
  let best = null;
  motion.crowds.forEach((crowd, number) => {
    for (let index = 0; index < crowd.count; index++) {
      if (!people[number].isShown(index)) continue;
      const p = crowd.placement, at = 8 * index, scale = p[at + 3];
      const top = add([p[at], p[at + 1], p[at + 2]], rotated(p, at + 4, [0, heights[number] * scale, 0]));
      const low = onScreen(view, [p[at], p[at + 1], p[at + 2]], width, height);
      const high = onScreen(view, top, width, height);
      if (!low || !high) continue;
      const metres = (BODY_WIDTH / 2) * heights[number] * scale;
      const radius = Math.max((metres * view.focal * height) / (2 * low[2]), FINGER);
      if (distanceToSegment([x, y], low, high) <= radius && (!best || low[2] < best.depth)) {
        best = { crowd: number, actor: crowd.actor[index], depth: low[2] };
      }
    }
  });
  return best && { crowd: best.crowd, actor: best.actor };
}

// Return the pixel and the depth of a point, or null behind the camera.
function onScreen(view, point, width, height) {
  const [x, y, , w] = transformed(view.viewProjection, point);
  return w > 0.01 ? [(0.5 + (0.5 * x) / w) * width, (0.5 - (0.5 * y) / w) * height, w] : null;
}

function distanceToSegment(p, a, b) {
  const along = [b[0] - a[0], b[1] - a[1]], square = along[0] ** 2 + along[1] ** 2;
  const share = square ? clamp(((p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1]) / square, 0, 1) : 0;
  return Math.hypot(p[0] - a[0] - share * along[0], p[1] - a[1] - share * along[1]);
}

// Return the index of an actor in a crowd at the sampled time, or -1 if the actor is absent.
function indexOf(crowd, actor) {
  for (let index = 0; index < crowd.count; index++) if (crowd.actor[index] === actor) return index;
  return -1;
}
