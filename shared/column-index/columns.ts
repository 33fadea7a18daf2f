import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Whole numbers from 0, in the narrowest array that holds them. */
export type Numbers = Uint8Array | Uint32Array | Float64Array;

/** Texts without separators: `ends` says where each one ends. */
export interface Texts {
  readonly text: string;
  readonly ends: Uint32Array;
}

/** How a piece of bytes is stored: as it is, among pieces that are compressed together, or as one byte that it repeats. */
const kinds = { plain: 0, compressed: 1, repeated: 2 } as const;

/** Columns are written once and read often. Higher levels take many times as long and save less than one in a hundred. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

/** Bits in a byte of a piece from which compressing it gains nothing. */
const incompressible = 7.5;

/** Writes columns one after the other; `ColumnReader` reads them in the same order. */
export class ColumnWriter {
  readonly #head: number[] = [];
  readonly #plain: Uint8Array[] = [];
  readonly #compressed: Uint8Array[] = [];

  /** Whole numbers from 0 to 2^53 - 1: the lowest byte of all of them, then the next one, and so on. The higher ones hardly differ. */
  numbers(values: ArrayLike<number>): this {
    const planes = planesFor(values);
    this.#size(values.length);
    this.#size(planes);
    for (let plane = 0; plane < planes; plane += 1) {
      const divisor = 256 ** plane;
      this.bytes(Uint8Array.from(values, (value) => Math.floor(value / divisor) % 256));
    }
    return this;
  }

  /** Any texts, also with half a surrogate pair, which UTF-8 cannot write. */
  texts(values: readonly string[]): this {
    return this.numbers(values.map(({ length }) => length)).text(values.join(''));
  }

  text(value: string): this {
    const encoding = value.isWellFormed() ? 'utf8' : 'utf16le';
    this.#size(encoding === 'utf8' ? 0 : 1);
    return this.bytes(Buffer.from(value, encoding));
  }

  bytes(piece: Uint8Array): this {
    const [first = 0] = piece;
    const kind = piece.every((byte) => byte === first)
      ? kinds.repeated
      : entropyOf(piece) > incompressible
        ? kinds.plain
        : kinds.compressed;
    this.#size(kind);
    this.#size(piece.length);
    if (kind === kinds.repeated) {
      this.#size(first);
    } else {
      (kind === kinds.plain ? this.#plain : this.#compressed).push(piece);
    }
    return this;
  }

  /** The sizes, the pieces that are stored as they are, and all others in one piece, which is read at once. */
  done(): Uint8Array {
    const plain = Buffer.concat(this.#plain);
    const head = Uint8Array.from(this.#head);
    const lengths = new DataView(new ArrayBuffer(8));
    lengths.setUint32(0, head.length);
    lengths.setUint32(4, plain.length);
    const compressed = zstdCompressSync(Buffer.concat(this.#compressed), compression);
    return Buffer.concat([new Uint8Array(lengths.buffer), head, plain, compressed]);
  }

  /** Seven bits a byte, the lowest first; the eighth says that more follow. */
  #size(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      this.#head.push((rest % 128) + 128);
    }
    this.#head.push(rest);
  }
}

/** The bits in a byte of a piece, by how often each byte comes. */
function entropyOf(piece: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const byte of piece) {
    counts[byte] = (counts[byte] as number) + 1;
  }
  return counts.reduce((sum, count) => {
    const share = count / piece.length;
    return count === 0 ? sum : sum - share * Math.log2(share);
  }, 0);
}

function planesFor(values: ArrayLike<number>): number {
  let most = 0;
  for (let index = 0; index < values.length; index += 1) {
    most = Math.max(most, values[index] ?? 0);
  }
  let planes = 1;
  while (most >= 256 ** planes) {
    planes += 1;
  }
  return planes;
}

/** Reads what `ColumnWriter` wrote. */
export class ColumnReader {
  readonly #head: Uint8Array;
  #at = 0;
  #plain: Uint8Array;
  #decompressed: Uint8Array;

  constructor(packed: Uint8Array) {
    const lengths = new DataView(packed.buffer, packed.byteOffset, 8);
    const plainAt = 8 + lengths.getUint32(0);
    const compressedAt = plainAt + lengths.getUint32(4);
    this.#head = packed.subarray(8, plainAt);
    this.#plain = packed.subarray(plainAt, compressedAt);
    this.#decompressed = zstdDecompressSync(packed.subarray(compressedAt));
  }

  numbers(): Numbers {
    const length = this.#size();
    const planes = this.#size();
    const [lowest = new Uint8Array(), ...higher] = Array.from({ length: planes }, () => this.bytes());
    if (higher.length === 0) {
      return lowest;
    }
    const values = higher.length < 4 ? new Uint32Array(length) : new Float64Array(length);
    values.set(lowest);
    for (const [index, plane] of higher.entries()) {
      const factor = 256 ** (index + 1);
      for (let row = 0; row < length; row += 1) {
        values[row] = (values[row] as number) + (plane[row] as number) * factor;
      }
    }
    return values;
  }

  texts(): Texts {
    const ends = sums(this.numbers());
    return { text: this.text(), ends };
  }

  text(): string {
    const isUtf8 = this.#size() === 0;
    const bytes = this.bytes();
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!isUtf8) {
      return buffer.toString('utf16le');
    }
    // ASCII is by far the most frequent, and decoded several times as fast under this name.
    return buffer.toString(isAscii(buffer) ? 'latin1' : 'utf8');
  }

  bytes(): Uint8Array {
    const [kind, size] = [this.#size(), this.#size()];
    if (kind === kinds.repeated) {
      return new Uint8Array(size).fill(this.#size());
    }
    const from = kind === kinds.plain ? this.#plain : this.#decompressed;
    const rest = from.subarray(size);
    if (kind === kinds.plain) {
      this.#plain = rest;
    } else {
      this.#decompressed = rest;
    }
    return from.subarray(0, size);
  }

  /** Whether all that was written is read. */
  get isAtEnd(): boolean {
    return this.#at === this.#head.length;
  }

  #size(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#head[this.#at] as number;
      this.#at += 1;
      value += (byte % 128) * factor;
      if (byte < 128) {
        return value;
      }
    }
  }
}

function sums(values: Numbers): Uint32Array {
  const result = new Uint32Array(values.length);
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) {
    sum += values[index] as number;
    result[index] = sum;
  }
  return result;
}

function isAscii(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    if ((bytes[index] as number) > 127) {
      return false;
    }
  }
  return true;
}

/** A whole number of any sign as one from 0: small ones stay small. */
export function withoutSign(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

/** The reverse of `withoutSign`. */
export function withSign(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
