// Compressed integers: an adaptive binary range coder. ecs_anim/kernels/number_codes.py writes the bytes.

const LEAST_RANGE = 2 ** 24; // a smaller range gets another byte
const SPEED = 5; // an estimate changes by 1/32 of its error
const MOST_BITS = 31; // of a number
const SLOTS = MOST_BITS + 4 * (MOST_BITS + 1); // contexts of a number: bits of the length, then the two bits after the first
const BEFORE = 32, CHANGES = 27, SPACINGS = 16, EARLIER = 6, LEFT = 7, SIZES = 8; // kinds of contexts

class NumberReader {
  constructor(data, contexts) {
    this.data = data;
    this.place = 4;
    this.range = 2 ** 32 - 1;
    this.code = new DataView(data.buffer, data.byteOffset).getUint32(0);
    this.chances = new Uint32Array(SLOTS * contexts).fill(32768); // chances of a 1, in 1/65536
  }

  // Read one bit. The part `bound` of the range belongs to a 1.
  split(bound) {
    const isOne = this.code < bound;
    if (isOne) {
      this.range = bound;
    } else {
      this.code -= bound;
      this.range -= bound;
    }
    while (this.range < LEAST_RANGE) {
      this.range *= 256;
      this.code = this.code * 256 + (this.place < this.data.length ? this.data[this.place] : 0);
      this.place++;
    }
    return isOne ? 1 : 0;
  }

  bit(context) {
    const chance = this.chances[context], found = this.split((this.range >>> 12) * (chance >>> 4));
    this.chances[context] += found ? (65536 - chance) >>> SPEED : -(chance >>> SPEED);
    return found;
  }

  // Read a number, 0 or more: its length in bits, then its bits without the first one.
  number(context) {
    const base = SLOTS * context;
    let length = 0, found = 1;
    while (length < MOST_BITS && this.bit(base + length)) length++;
    for (let place = length - 2; place >= 0; place--) {
      found = 2 * found + (found < 4 ? this.bit(base + MOST_BITS + 4 * length + found) : this.split(this.range >>> 1));
    }
    return length ? found : 0;
  }

  signed(context) {
    const size = this.number(context);
    return size && this.split(this.range >>> 1) ? -size : size;
  }
}

const bitLength = (number) => 32 - Math.clz32(number);

// Return numbers of known kinds.
function readNumbers(data, kinds) {
  const most = kinds.reduce((largest, kind) => Math.max(largest, kind), 0);
  const reader = new NumberReader(data, BEFORE * (1 + most)), numbers = new Uint32Array(kinds.length);
  for (let at = 0, before = 0; at < kinds.length; at++) {
    before = numbers[at] = reader.number(BEFORE * kinds[at] + bitLength(before));
  }
  return numbers;
}

// Return the changes of the keys of series with `counts` intervals and the exponents `spacings`.
function readKeys(data, counts, spacings) {
  const reader = new NumberReader(data, CHANGES * SPACINGS), changes = new Int32Array(sum(counts) + counts.length);
  let at = 0;
  counts.forEach((count, series) => {
    const spacing = Math.min(spacings[series], SPACINGS - 1);
    let last = 0, before = 0;
    for (let place = 0; place <= count; place++) {
      const kind = place < 2 ? place : 2 + Math.min(bitLength(last + before), CHANGES - 3);
      const change = reader.signed(SPACINGS * kind + spacing);
      [last, before] = [Math.abs(change), last];
      changes[at++] = change;
    }
  });
  return changes;
}

// Return the sines of intervals with `orders` sines.
function readSines(data, orders) {
  const reader = new NumberReader(data, EARLIER * LEFT * SIZES), sines = new Int32Array(sum(orders));
  let at = 0;
  for (const order of orders) {
    let last = 0, before = 0;
    for (let number = 0; number < order; number++) {
      const kind = LEFT * Math.min(number, EARLIER - 1) + Math.min(order - number, LEFT - 1);
      const sine = reader.signed(SIZES * kind + Math.min(bitLength(2 * last + before), SIZES - 1));
      before = last;
      last = Math.abs(sine);
      sines[at++] = sine;
    }
  }
  return sines;
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
