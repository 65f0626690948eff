// The container of the payload: named arrays in compressed sections. docs/share.md describes the format.

const MAGIC = "ECSSHARE", VERSION = 7, HEAD_BYTES = 16;
const ARRAYS = {
  "|u1": Uint8Array, "<u2": Uint16Array, "<u4": Uint32Array, "<i2": Int16Array, "<i4": Int32Array,
  "<f4": Float32Array, "<f8": Float64Array,
};
const DAMAGED = "The data of this page are damaged. Copy or write the file again.";

async function openContainer(bytes) {
  const letters = String.fromCharCode(...bytes.subarray(0, MAGIC.length));
  if (bytes.length < HEAD_BYTES || letters !== MAGIC) throw new Error(DAMAGED);
  const head = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  const version = head.getUint32(8, true), begin = HEAD_BYTES + head.getUint32(12, true);
  if (version !== VERSION) throw new Error(`The data have version ${version}, but this page reads version ${VERSION}.`);
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(HEAD_BYTES, begin)));
    if (!Array.isArray(header.sections) || !header.meta) throw new Error(DAMAGED);
  } catch {
    throw new Error(DAMAGED);
  }
  return new Container(header, bytes.subarray(begin));
}

class Container {
  constructor({ meta, sections }, packed) {
    this.meta = meta;
    this.sections = new Map(sections.map((section) => [section.name, section]));
    this.packed = packed;
  }

  // Return the unpacked bytes of a section.
  async bytes(name) {
    const section = this.sections.get(name);
    if (!section) throw new Error(`${DAMAGED} (no section ${name})`);
    const packed = this.packed.slice(section.offset, section.offset + section.packed);
    const bytes = section.packed === section.size ? packed : await inflated(packed, section);
    if (bytes.length !== section.size || crc32(bytes) !== section.crc) throw new Error(`${DAMAGED} (section ${name})`);
    return bytes;
  }

  // Return the numbers of a section as a typed array.
  async array(name) {
    const bytes = await this.bytes(name);
    const Numbers = ARRAYS[this.sections.get(name).dtype];
    if (!Numbers || bytes.length % Numbers.BYTES_PER_ELEMENT) throw new Error(`${DAMAGED} (section ${name})`);
    return new Numbers(bytes.buffer, 0, bytes.length / Numbers.BYTES_PER_ELEMENT);
  }
}

// Return the unpacked bytes. Reading stops after the size in the header, so that damaged data cannot fill the memory.
async function inflated(packed, { name, size }) {
  const result = new Uint8Array(size);
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  let end = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      result.set(value, end);
      end += value.length;
    }
  } catch {
    throw new Error(`${DAMAGED} (section ${name})`);
  }
  return result.subarray(0, end);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, number) => {
  for (let bit = 0; bit < 8; bit++) number = number & 1 ? (number >>> 1) ^ 0xedb88320 : number >>> 1;
  return number;
});

function crc32(bytes) {
  let crc = -1;
  for (let k = 0; k < bytes.length; k++) crc = CRC_TABLE[(crc ^ bytes[k]) & 255] ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}
