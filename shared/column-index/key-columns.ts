import { ColumnReader, ColumnWriter, withoutSign, withSign } from './columns.ts';
import type { Place } from './indexed-contact.ts';

type Key = Omit<Place, 'stageId'>;

/**
 * Packs the places of a block's contacts, in board order: mostly the time since the contact above and the random part of a
 * ULID, whose time is mostly that of the creation. Anything else is packed too, only larger.
 */
export function packedKeys(keys: readonly Key[]): Uint8Array {
  const times: number[] = [];
  const idOffsets: number[] = [];
  const random = new Uint8Array(keys.length * randomBytes);
  const odd: OddKey[] = [];
  for (const [row, { createdAt, _id }] of keys.entries()) {
    const time = toMilliseconds(createdAt);
    const parts = ulidParts(_id);
    times.push(time ?? times.at(-1) ?? 0);
    idOffsets.push(parts === undefined ? 0 : withoutSign(parts.time - (times[row] as number)));
    if (parts !== undefined) {
      random.set(parts.random, row * randomBytes);
    }
    if (time === undefined || parts === undefined) {
      odd.push([row, time === undefined ? createdAt : null, parts === undefined ? _id : null]);
    }
  }
  const gaps = times.map((time, row) => withoutSign(row === 0 ? 0 : (times[row - 1] as number) - time));
  return new ColumnWriter()
    .numbers([withoutSign(times[0] ?? 0)])
    .numbers(gaps)
    .numbers(idOffsets)
    .bytes(random)
    .text(odd.length === 0 ? '' : JSON.stringify(odd))
    .done();
}

type OddKey = [row: number, createdAt: string | null, _id: string | null];

/** The time of a timestamp of the usual form, which compares as a text as it does as a number; undefined for any other. */
export function toMilliseconds(text: string): number | undefined {
  const time = Date.parse(text);
  return text.length === 24 && !Number.isNaN(time) && new Date(time).toISOString() === text
    ? time
    : undefined;
}

/** The places of a block's contacts, in board order. */
export class KeyColumns {
  readonly length: number;
  /** The time of the creation, for each row; that of the row above if its form is unusual. */
  readonly times: Float64Array;
  /** The time in the id, for each row; undefined if all are those of the creation. */
  readonly #idTimes: Float64Array | undefined;
  readonly random: Uint8Array;
  readonly #oddTimes = new Map<number, string>();
  readonly #oddIds = new Map<number, string>();

  constructor(packed: Uint8Array) {
    const reader = new ColumnReader(packed);
    const first = withSign(reader.numbers()[0] ?? 0);
    const gaps = reader.numbers();
    const idOffsets = reader.numbers();
    this.length = gaps.length;
    this.times = new Float64Array(gaps.length);
    let time = first;
    for (let row = 0; row < gaps.length; row += 1) {
      time -= withSign(gaps[row] as number);
      this.times[row] = time;
    }
    this.#idTimes = idOffsets.some((offset) => offset !== 0)
      ? this.times.map((at, row) => at + withSign(idOffsets[row] as number))
      : undefined;
    this.random = reader.bytes();
    const odd = reader.text();
    for (const [row, createdAt, _id] of odd === '' ? [] : (JSON.parse(odd) as OddKey[])) {
      if (createdAt !== null) {
        this.#oddTimes.set(row, createdAt);
      }
      if (_id !== null) {
        this.#oddIds.set(row, _id);
      }
    }
  }

  /** Ids that are no ULIDs, by row. */
  get oddIds(): ReadonlyMap<number, string> {
    return this.#oddIds;
  }

  createdAt(row: number): string {
    return this.#oddTimes.get(row) ?? new Date(this.times[row] as number).toISOString();
  }

  id(row: number): string {
    return this.#oddIds.get(row) ?? toUlid(this.idTime(row), this.random, row * randomBytes);
  }

  /** The time in the id of this row, which is a ULID. */
  idTime(row: number): number {
    return (this.#idTimes ?? this.times)[row] as number;
  }

  /** Whether this row stands above the place in a column. */
  isAbove(row: number, place: ComparedPlace): boolean {
    if (place.time !== undefined && !this.#oddTimes.has(row) && this.times[row] !== place.time) {
      return (this.times[row] as number) > place.time;
    }
    const createdAt = this.createdAt(row);
    return createdAt === place.createdAt ? this.id(row) > place._id : createdAt > place.createdAt;
  }

  get bytes(): number {
    return this.times.byteLength + (this.#idTimes?.byteLength ?? 0) + this.random.byteLength;
  }
}

/** A place to compare others with. */
export interface ComparedPlace extends Key {
  /** Undefined if `createdAt` is of an unusual form. */
  readonly time: number | undefined;
}

/** The place of a contact, its time parsed once for all comparisons. */
export function comparedPlace({ createdAt, _id }: Key): ComparedPlace {
  return { createdAt, _id, time: toMilliseconds(createdAt) };
}

/** A ULID as numbers. Source: github.com/ulid/spec: Crockford's base 32, 48 bits of time and 80 random ones. */
export interface UlidParts {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Ten bytes. */
  readonly random: Uint8Array;
}

const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const form = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const timeLength = 10;

export const randomBytes = 10;

const values = new Uint8Array(128);
for (const [value, letter] of [...letters].entries()) {
  values[letter.charCodeAt(0)] = value;
}

/** The parts of a ULID in capitals, the only form that the service makes; undefined for any other text. */
export function ulidParts(text: string): UlidParts | undefined {
  if (!form.test(text)) {
    return undefined;
  }
  const valueAt = (index: number) => values[text.charCodeAt(index)] as number;
  let time = 0;
  for (let index = 0; index < timeLength; index += 1) {
    time = time * 32 + valueAt(index);
  }
  const random = new Uint8Array(randomBytes);
  let [bits, held, next] = [0, 0, 0];
  for (let index = timeLength; index < text.length; index += 1) {
    bits = ((bits << 5) | valueAt(index)) & 0xfff;
    held += 5;
    if (held >= 8) {
      held -= 8;
      random[next] = bits >> held;
      next += 1;
    }
  }
  return { time, random };
}

/** The ULID of these parts; `random` has its ten bytes from `offset`. */
export function toUlid(time: number, random: Uint8Array, offset: number): string {
  let text = '';
  for (let divisor = 32 ** (timeLength - 1); divisor >= 1; divisor /= 32) {
    text += letters[Math.floor(time / divisor) % 32];
  }
  let [bits, held] = [0, 0];
  for (let index = 0; index < randomBytes; index += 1) {
    bits = ((bits << 8) | (random[offset + index] as number)) & 0xfff;
    for (held += 8; held >= 5; held -= 5) {
      text += letters[(bits >> (held - 5)) & 31];
    }
  }
  return text;
}
