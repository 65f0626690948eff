// Series: keys, with lines and sines between the keys. ecs_anim/sharing/series.py computes equal numbers.

const ESCAPE = 255; // byte of a number that is in the section of large numbers
const SERIES_PARTS = ["lengths", "low", "high", "orders", "sines_low", "sines_high"];

class Series {
  // Read the series of `channels` channels from the sections with a prefix. `frames` has the last frame of each series
  // of a channel.
  static async read(box, prefix, frames, channels) {
    const arrays = await Promise.all(SERIES_PARTS.map((name) => box.array(prefix + name)));
    return new Series(Object.fromEntries(SERIES_PARTS.map((name, k) => [name, arrays[k]])), frames, channels);
  }

  constructor({ lengths, low, high, orders, sines_low: sinesLow, sines_high: sinesHigh }, frames, channels) {
    if (lengths.length !== frames.length * channels) throw new Error(DAMAGED);
    this.frames = frames;
    this.lengths = lengths;
    this.orders = orders;
    this.starts = new Uint32Array(lengths.length + 1); // number of the first interval of each series
    for (let series = 0; series < lengths.length; series++) {
      this.starts[series + 1] = this.starts[series] + this.intervals(series);
    }
    if (this.starts[lengths.length] !== orders.length) throw new Error(DAMAGED);
    this.keys = this.summed(unfolded(low, high));
    this.firstSines = new Uint32Array(orders.length + 1);
    for (let interval = 0; interval < orders.length; interval++) {
      this.firstSines[interval + 1] = this.firstSines[interval] + orders[interval];
    }
    this.sines = this.inOrder(unfolded(sinesLow, sinesHigh), channels);
  }

  intervals(series) {
    const length = this.lengths[series], size = 2 ** length;
    return length ? Math.ceil(this.frames[series % this.frames.length] / size) : 0;
  }

  // Turn the second differences of keys into keys, in place.
  summed(keys) {
    let key = 0;
    for (let series = 0; series < this.lengths.length; series++) {
      const count = this.starts[series + 1] - this.starts[series];
      let change = 0;
      for (let place = 0; place <= count; place++, key++) {
        change = place < 2 ? keys[key] : change + keys[key];
        keys[key] = place < 1 ? keys[key] : keys[key - 1] + change;
      }
    }
    if (key !== keys.length) throw new Error(DAMAGED);
    return keys;
  }

  // Return the sines interval by interval. The file has the first sines of a channel, then the second ones, and so on.
  inOrder(stored, channels) {
    const { orders, starts, firstSines, frames } = this, sines = new Int32Array(stored.length);
    if (firstSines[orders.length] !== stored.length) throw new Error(DAMAGED);
    let from = 0;
    for (let channel = 0; channel < channels; channel++) {
      const end = starts[(channel + 1) * frames.length];
      let left = [];
      for (let interval = starts[channel * frames.length]; interval < end; interval++) left.push(interval);
      for (let number = 0; left.length; number++) {
        left = left.filter((interval) => orders[interval] > number);
        for (const interval of left) sines[firstSines[interval] + number] = stored[from++];
      }
    }
    return sines;
  }

  // Return a number of a series in steps at a place, 0 at the first frame and 1 at the last frame.
  at(series, place) {
    const { keys, starts, lengths, orders, firstSines, sines } = this;
    const first = starts[series], count = starts[series + 1] - first, key = first + series;
    if (count === 0) return keys[key];
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

// Return integers from bytes and large integers. Even numbers mean 0 and more, and odd numbers mean less than 0.
function unfolded(low, high) {
  const numbers = new Int32Array(low.length);
  let large = 0;
  for (let k = 0; k < low.length; k++) {
    const folded = low[k] === ESCAPE ? high[large++] : low[k];
    numbers[k] = folded % 2 ? -(folded + 1) / 2 : folded / 2;
  }
  if (large !== high.length) throw new Error(DAMAGED);
  return numbers;
}
