// The uniform block of a picture: camera, light, fog and the fit of the shadow map. See shaders/frame.glsl.

const FRAME_FLOATS = 92; // numbers of the block
const MAP_SIZE = 2048; // [texel], width and height of the shadow map
const REACH = 1.6, BEYOND = 2; // shadows reach up to REACH x target distance + BEYOND [m]
const MAP_STEPS = 4; // map sizes between two powers of two
const CLOSE = 0.002; // [m], offset of a receiver towards the sun, against rounding errors
const DEFAULT_GROUND = {
  height: 0, color: [0.55, 0.525, 0.49], line_color: [0.36, 0.345, 0.325], fog_start: 25, fog_end: 180,
};

const RIPPLE_PERIOD = 60; // [s]; the ripples of water repeat after this time

function frameData(scene, view, fit, time) {
  const { light } = scene;
  const ground = scene.ground ?? DEFAULT_GROUND;
  const [start, end] = fogRange(ground, view);
  const vectors = [
    view.eye, unit(light.sun_direction), light.sun_color, light.sky_color, light.bounce_color, light.zenith_color,
    light.horizon_color, [start, end, time % RIPPLE_PERIOD], [ground.height, scene.ground ? 1 : 0, scene.is_uneven ? 1 : 0],
    ground.color, ground.line_color,
  ].flatMap((vector) => [...vector, 0]);
  const shadow = fit ? [...fit.rows.flat(), 1 / MAP_SIZE, fit.texel, 1, fit.bias] : new Array(16).fill(0);
  return new Float32Array([...view.viewProjection, ...view.inverse, ...vectors, ...shadow]);
}

// Distances [m] at which the fog starts and ends. The distances grow with the height of the camera.
function fogRange(ground, view) {
  const height = Math.max(view.eye[1] - ground.height, 0);
  const end = Math.min(Math.max(ground.fog_end, 12 * height), 0.6 * view.far);
  return [(end * ground.fog_start) / ground.fog_end, end];
}

// Return the fit of the shadow map: a sphere around the near part of the view, in whole texels. See view/sun_fit.py.
function fitSun(light, view) {
  const [center, ball] = nearBall(view);
  const radius = 2 ** (Math.ceil(MAP_STEPS * Math.log2(ball)) / MAP_STEPS);
  const texel = (2 * radius) / MAP_SIZE;
  const rows = light.sun_axes.map((axis) => {
    const middle = roundHalfToEven(dot(axis, center) / texel) * texel;
    return [...scaled(axis, 1 / (2 * radius)), 0.5 - middle / (2 * radius)];
  });
  return { rows, texel, bias: CLOSE / (2 * radius) };
}

function roundHalfToEven(value) {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

function nearBall(view) {
  const depth = Math.min(REACH * view.focus + BEYOND, view.far);
  const slope = Math.hypot(view.aspect / view.focal, 1 / view.focal);
  const along = slope < 1 ? (depth * (1 + slope * slope)) / 2 : depth;
  return [subtract(view.eye, scaled(view.axes[2], along)), slope < 1 ? along : depth * slope];
}
