// Series: evenly spaced keys with cubic interpolation. ecs_anim/sharing/series.py computes equal numbers.

class Series {
  // Read the keys of many series from the sections with a prefix.
  static async read(box, prefix) {
    const [counts, low, high] = await Promise.all(["counts", "low", "high"].map((name) => box.array(prefix + name)));
    return new Series(counts, low, high);
  }

  constructor(counts, low, high) {
    this.counts = counts;
    this.starts = new Uint32Array(counts.length);
    this.codes = new Int32Array(low.length);
    let key = 0;
    for (let series = 0; series < counts.length; series++) {
      this.starts[series] = key;
      let code = 0, change = 0;
      for (let place = 0; place <= counts[series]; place++, key++) {
        const folded = low[key] + 256 * high[key];
        const own = folded % 2 ? -(folded + 1) / 2 : folded / 2;
        change = place < 2 ? own : change + own;
        code = place < 1 ? own : code + change;
        this.codes[key] = code;
      }
    }
    if (key !== low.length) throw new Error(DAMAGED);
  }

  // Return a number of a series in steps at a place, 0 at the first key and 1 at the last key.
  at(series, place) {
    const { codes } = this, count = this.counts[series], first = this.starts[series], last = first + count;
    if (count === 0) return codes[first];
    const at = clamp(place, 0, 1) * count;
    const whole = Math.min(Math.floor(at), count - 1), t = at - whole, key = first + whole;
    const b = codes[key], c = codes[key + 1];
    const a = key > first ? codes[key - 1] : 2 * b - c;
    const d = key + 1 < last ? codes[key + 2] : 2 * c - b;
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
  }
}
