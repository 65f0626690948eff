// Corrections of actors at single samples. ecs_anim/sharing/corrections.py computes equal numbers.

const FINE = 4; // a correction has steps of a quarter of the channel's step

class Corrections {
  // Read the corrections of a crowd. `frames` has the last frame of each span.
  static async read(box, prefix, frames, channels) {
    const names = ["corrected", "corrections"];
    const [corrected, numbers] = await Promise.all(names.map((name) => box.array(prefix + name)));
    return new Corrections(corrected, numbers, frames, channels);
  }

  constructor(corrected, numbers, frames, channels) {
    this.channels = channels;
    this.numbers = readSines(numbers, new Uint32Array(corrected.length).fill(channels));
    // Samples have numbers, span by span. The map gives the first number of each corrected sample.
    this.firstSamples = runningSums(frames.map((last) => last + 1));
    this.places = new Map([...runningSums(corrected).subarray(1)].map((sample, k) => [sample, k * channels]));
  }

  // Add the corrections next to a frame of a span to `values` [channel], in steps.
  add(span, frame, values) {
    const before = Math.floor(frame), share = frame - before;
    this.addSample(this.firstSamples[span] + before, 1 - share, values);
    if (share) this.addSample(this.firstSamples[span] + before + 1, share, values);
  }

  addSample(sample, weight, values) {
    const at = this.places.get(sample);
    if (at === undefined) return;
    for (let k = 0; k < this.channels; k++) values[k] += (weight * this.numbers[at + k]) / FINE;
  }
}
