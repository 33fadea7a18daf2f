import { searchFolded } from '../kernel/names/folded.ts';
import { ColumnReader, ColumnWriter, type Numbers, type Texts } from './columns.ts';
import { isTurned, numberDigits, type SearchedText, type TextSearch } from './text-search.ts';

/** E.164: fewer than 16 digits, so that they are a whole number that a float holds. */
const plainNumber = /^\+[1-9]\d{1,14}$/;

/**
 * How the names are folded; a higher number than before when `searchFolded` leaves out more. Blocks from before it was written have names in
 * NFKC and lower case, those with 1 the points of Hebrew, Arabic and Syriac.
 */
const folding = 2;

/** Packs what a search looks through; phone numbers as numbers. */
export function packedTexts(rows: readonly SearchedText[]): Uint8Array {
  const values = rows.flatMap(({ phones }) => phones);
  return new ColumnWriter()
    .texts(rows.map(({ name }) => name))
    .numbers(rows.map(({ phones }) => phones.length))
    .numbers(values.map((value) => (plainNumber.test(value) ? Number(value.slice(1)) : 0)))
    .texts(values.filter((value) => !plainNumber.test(value)))
    .numbers([folding])
    .done();
}

/** The texts that a search looks through in a block: all names in one text, and all phone numbers in another. */
export class TextColumns {
  readonly #names: Texts;
  readonly #phones: Texts;
  /** The row of each phone number. */
  readonly #phoneRows: Uint32Array;
  /** Whether every phone number is a plus and digits. */
  readonly #isPlain: boolean;
  #digits: Texts | undefined;

  constructor(packed: Uint8Array) {
    const reader = new ColumnReader(packed);
    const names = reader.texts();
    const counts = reader.numbers();
    const numbers = reader.numbers();
    const odd = reader.texts();
    const isFolded = !reader.isAtEnd && reader.numbers()[0] === folding;
    this.#names = isFolded ? names : foldedAgain(names);
    this.#phones = phoneTexts(numbers, odd);
    this.#isPlain = odd.ends.length === 0;
    this.#phoneRows = new Uint32Array(numbers.length);
    let phone = 0;
    for (let row = 0; row < counts.length; row += 1) {
      this.#phoneRows.fill(row, phone, phone + (counts[row] as number));
      phone += counts[row] as number;
    }
  }

  /** Sets `marks` to 1 for the rows that a search finds, and says whether there are any. */
  mark({ text, digits, turned }: TextSearch, marks: Uint8Array): boolean {
    const isNamed = [
      markFound(this.#names, text, marks),
      ...turned.map((one) => this.#markTurned(one, marks)),
    ].includes(true);
    if (digits.length > 0) {
      const found = digits.map((one) => markFound(this.#digitTexts(), one, marks, this.#phoneRows));
      return found.includes(true) || isNamed;
    }
    const mayBePhone = !this.#isPlain || /^[+\d]*$/.test(text);
    return (mayBePhone && markFound(this.#phones, text, marks, this.#phoneRows)) || isNamed;
  }

  rows(): SearchedText[] {
    const phones = Array.from(this.#names.ends, (): string[] => []);
    for (const [phone, row] of this.#phoneRows.entries()) {
      phones[row]?.push(textAt(this.#phones, phone));
    }
    return phones.map((own, row) => ({ name: textAt(this.#names, row), phones: own }));
  }

  get bytes(): number {
    // A text takes one or two bytes a character: two, so that the estimate is never too low.
    return (
      2 * (this.#names.text.length + this.#phones.text.length) +
      this.#names.ends.byteLength +
      2 * this.#phoneRows.byteLength
    );
  }

  #markTurned(turned: TextSearch['turned'][number], marks: Uint8Array): boolean {
    const { text, ends } = this.#names;
    let isFound = false;
    for (let row = 0, from = 0; row < ends.length; row += 1) {
      const to = ends[row] as number;
      if (marks[row] === 0 && isTurned(turned, text, from, to)) {
        marks[row] = 1;
        isFound = true;
      }
      from = to;
    }
    return isFound;
  }

  /** The digits of each number. Those of plain numbers are found in the numbers themselves: no other character is among them. */
  #digitTexts(): Texts {
    this.#digits ??= this.#isPlain
      ? this.#phones
      : joinedTexts(Array.from(this.#phones.ends, (_, phone) => numberDigits(textAt(this.#phones, phone))));
    return this.#digits;
  }
}

/**
 * A hit that crosses the end of a text does not count, nor does any later one that begins in this text: names and numbers follow each
 * other without separators.
 */
function markFound({ text, ends }: Texts, wanted: string, marks: Uint8Array, rows?: Uint32Array): boolean {
  let one = 0;
  let isFound = false;
  let at = text.indexOf(wanted);
  while (at !== -1) {
    while ((ends[one] as number) <= at) {
      one += 1;
    }
    const end = ends[one] as number;
    if (at + wanted.length <= end) {
      marks[rows === undefined ? one : (rows[one] as number)] = 1;
      isFound = true;
    }
    at = text.indexOf(wanted, end);
  }
  return isFound;
}

function textAt({ text, ends }: Texts, index: number): string {
  return text.slice(index === 0 ? 0 : ends[index - 1], ends[index]);
}

/** Names that were folded in an earlier way, as they are folded now. */
function foldedAgain(names: Texts): Texts {
  return joinedTexts(Array.from(names.ends, (_, row) => searchFolded(textAt(names, row))));
}

function joinedTexts(texts: readonly string[]): Texts {
  let end = 0;
  const ends = Uint32Array.from(texts, ({ length }) => {
    end += length;
    return end;
  });
  return { text: texts.join(''), ends };
}

/** The digits of one number are written this many at a time: whole numbers of 32 bits are quicker than floats. */
const half = 10 ** 8;

/** Phone numbers as texts; zero stands for the next of the odd ones. */
function phoneTexts(numbers: Numbers, odd: Texts): Texts {
  if (odd.ends.length > 0) {
    let next = 0;
    return joinedTexts(
      Array.from(numbers, (number) => {
        if (number !== 0) {
          return `+${number}`;
        }
        next += 1;
        return textAt(odd, next - 1);
      }),
    );
  }
  const ends = new Uint32Array(numbers.length);
  const characters = Buffer.allocUnsafe(numbers.length * 16);
  let end = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] as number;
    let length = 2;
    for (let bound = 10; bound <= number; bound *= 10) {
      length += 1;
    }
    characters[end] = 43;
    let high = Math.floor(number / half) | 0;
    let low = (number - high * half) | 0;
    for (let digit = length - 1; digit > 0; digit -= 1) {
      const written = length - 1 - digit;
      const from = written < 8 ? low : high;
      const rest = (from / 10) | 0;
      characters[end + digit] = 48 + from - rest * 10;
      if (written < 8) {
        low = rest;
      } else {
        high = rest;
      }
    }
    end += length;
    ends[index] = end;
  }
  return { text: characters.toString('latin1', 0, end), ends };
}
