// Series: keys, with lines and sines between the keys. ecs_anim/sharing/series.py computes equal numbers.

const SERIES_PARTS = ["lengths", "keys", "orders", "sines"];

class Series {
  // Read the series of `channels` channels from the sections with a prefix. `frames` has the last frame of each series
  // of a channel.
  static async read(box, prefix, frames, channels) {
    const arrays = await Promise.all(SERIES_PARTS.map((name) => box.array(prefix + name)));
    return new Series(arrays, frames, channels);
  }

  constructor([lengths, keys, orders, sines], frames, channels) {
    this.frames = frames;
    const lastFrames = new Uint32Array(frames.length * channels);
    for (let channel = 0; channel < channels; channel++) lastFrames.set(frames, channel * frames.length);
    this.lengths = readNumbers(lengths, lastFrames.map(bitLength));
    const counts = Uint32Array.from(this.lengths, (_, series) => this.intervals(series));
    this.starts = runningSums(counts); // number of the first interval of each series
    this.keys = this.summed(readKeys(keys, counts, this.lengths));
    this.sines = null;
    this.readWaves = () => {
      this.orders = readNumbers(orders, this.widths(counts).map(bitLength));
      this.firstSines = runningSums(this.orders);
      this.sines = readSines(sines, this.orders);
    };
  }

  // Decode the sines, unless this has happened before. The first picture shows the first keys and needs no sines.
  finish() {
    if (!this.sines) this.readWaves();
  }

  intervals(series) {
    const length = this.lengths[series], size = 2 ** length;
    return length ? Math.ceil(this.frames[series % this.frames.length] / size) : 0;
  }

  // Return the number of frames of each interval.
  widths(counts) {
    const widths = new Uint32Array(sum(counts));
    let interval = 0;
    counts.forEach((count, series) => {
      const last = this.frames[series % this.frames.length], size = 2 ** this.lengths[series];
      for (let number = 0; number < count; number++) widths[interval++] = Math.min(size, last - number * size);
    });
    return widths;
  }

  // Turn the second differences of keys into keys, in place.
  summed(keys) {
    let key = 0;
    for (let series = 0; series < this.lengths.length; series++) {
      const count = this.starts[series + 1] - this.starts[series];
      let change = 0;
      for (let place = 0; place <= count; place++, key++) {
        change = place < 2 ? keys[key] : change + keys[key];
        keys[key] = (key ? keys[key - 1] : 0) + change;
      }
    }
    return keys;
  }

  // Return a number of a series in steps at a place, 0 at the first frame and 1 at the last frame.
  at(series, place) {
    const { keys, starts, lengths } = this;
    const first = starts[series], count = starts[series + 1] - first, key = first + series;
    if (count === 0 || place <= 0) return keys[key];
    this.finish();
    const { orders, firstSines, sines } = this;
    const last = this.frames[series % this.frames.length], size = 2 ** lengths[series];
    const frame = clamp(place, 0, 1) * last, own = Math.min(Math.floor(frame / size), count - 1);
    const width = Math.min(size, last - own * size), t = (frame - own * size) / width;
    const line = keys[key + own] + (keys[key + own + 1] - keys[key + own]) * t;
    const begin = firstSines[first + own], order = orders[first + own];
    if (!order) return line;
    // The sine of each multiple of an angle follows from the two sines before.
    const twice = 2 * Math.cos(Math.PI * t);
    let before = 0, wave = Math.sin(Math.PI * t), sum = 0;
    for (let number = 0; number < order; number++) {
      sum += sines[begin + number] * wave;
      [before, wave] = [wave, twice * wave - before];
    }
    return line + Math.sqrt(2 / width) * sum;
  }
}

// Return the sum of the numbers before each number, and the sum of all numbers at the end.
function runningSums(numbers) {
  const sums = new Uint32Array(numbers.length + 1);
  for (let k = 0; k < numbers.length; k++) sums[k + 1] = sums[k] + numbers[k];
  return sums;
}
