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
export function ulidOf(time: number, random: Uint8Array, offset: number): string {
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
