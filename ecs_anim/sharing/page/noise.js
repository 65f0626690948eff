// Noise for the materials of floors. The bytes equal the bytes of ecs_anim/gl/picture/noise.py.

const NOISE_SIZE = 256; // [texel]
const PATCH_CELLS = [4, 8, 16, 32]; // cells per side of the tile, for each octave of the patches
const NOISE_CONTRAST = 0.16; // standard deviation; the mean is 0.5

function noiseTexture(device) {
  const { gl } = device;
  const texture = gl.createTexture();
  device.bind(UNITS.noise, gl.TEXTURE_2D, texture);
  gl.texImage2D(
    gl.TEXTURE_2D, 0, gl.RG8, NOISE_SIZE, NOISE_SIZE, 0, gl.RG, gl.UNSIGNED_BYTE, noiseTile(),
  );
  gl.generateMipmap(gl.TEXTURE_2D);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  return texture;
}

// Return pairs of bytes: fine grain, and patches.
function noiseTile() {
  const fine = noiseNodes(NOISE_SIZE, 1), soft = smoothNoise(NOISE_SIZE / 4, 2);
  const grain = fine.map((value, k) => 0.6 * value + 0.4 * soft[k]);
  const patches = new Float64Array(NOISE_SIZE ** 2);
  PATCH_CELLS.forEach((cells, octave) => {
    smoothNoise(cells, 3 + cells).forEach((value, k) => (patches[k] += value / (1 + octave)));
  });
  const tile = new Uint8Array(2 * NOISE_SIZE ** 2);
  [grain, patches].forEach((values, channel) => noiseBytes(values).forEach((byte, k) => (tile[2 * k + channel] = byte)));
  return tile;
}

// Return pseudo-random numbers from 0 to 1, from integers of 64 bits. After the first product, 32 bits remain.
function noiseNodes(cells, seed) {
  const start = seed * 0x9e3779b9;
  return Float64Array.from({ length: cells * cells }, (_, k) => {
    const whole = start + k, high = Math.floor(whole / 2 ** 16) | 0;
    let bits = Math.imul((whole % 2 ** 32 >>> 0) ^ high, 0x7feb352d) >>> 0;
    bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b) >>> 0;
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  });
}

// Return a smooth periodic interpolation of random numbers at `cells` x `cells` nodes.
function smoothNoise(cells, seed) {
  const nodes = noiseNodes(cells, seed), step = cells / NOISE_SIZE;
  const values = new Float64Array(NOISE_SIZE ** 2);
  for (let row = 0; row < NOISE_SIZE; row++) {
    const [up, down, vertical] = noisePart(row * step, cells);
    for (let column = 0; column < NOISE_SIZE; column++) {
      const [left, right, across] = noisePart(column * step, cells);
      const mixed = (k) => nodes[up * cells + k] + (nodes[down * cells + k] - nodes[up * cells + k]) * vertical;
      values[row * NOISE_SIZE + column] = mixed(left) + (mixed(right) - mixed(left)) * across;
    }
  }
  return values;
}

function noisePart(at, cells) {
  const low = Math.floor(at), part = at - low;
  return [low, (low + 1) % cells, part * part * (3 - 2 * part)];
}

// Return bytes with the mean 127.5 and the standard deviation of the contrast.
function noiseBytes(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return values.map((value) => roundHalfToEven(255 * clamp(0.5 + (NOISE_CONTRAST * (value - mean)) / deviation, 0, 1)));
}
