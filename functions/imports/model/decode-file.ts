import { Failure } from '../../../shared/kernel/failure.ts';
import { normalized } from '../../../shared/kernel/normal-form.ts';

/** The encodings of files. */
export const encodings = ['UTF-8', 'UTF-16', 'Windows-1252'] as const;

/** The same by the labels of the WHATWG Encoding Standard. */
const byLabel = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
} as const satisfies Record<string, (typeof encodings)[number]>;
type Label = keyof typeof byLabel;

/** The text of a file in UTF-8 and in normal form, without byte order mark. */
export interface DecodedFile {
  readonly encoding: (typeof encodings)[number];
  readonly bytes: Uint8Array;
}

/**
 * Reads the bytes of a text file: as UTF-8, as UTF-16 with or without byte order mark, or else as Windows-1252, in which every byte is a
 * character.
 * @throws a 400 `Failure` for a file that is no text.
 */
export function decodeFile(bytes: Uint8Array): DecodedFile {
  const label = labelFor(bytes);
  const text = decodedAs(label, bytes);
  const read: readonly [Label, string | undefined] =
    text === undefined && label === 'utf-8'
      ? ['windows-1252', decodedAs('windows-1252', bytes)]
      : [label, text];
  if (read[1] === undefined) {
    throw new Failure(
      'INVALID',
      'key names a file that is no text. Save the table as CSV and upload that file.',
    );
  }
  return { encoding: byLabel[read[0]], bytes: Buffer.from(normalized(read[1])) };
}

/** No text in UTF-8 or Windows-1252 has a zero byte; in UTF-16, each separator, digit and line break has one. */
function labelFor(bytes: Uint8Array): Label {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) {
    return 'utf-16le';
  }
  if (first === 0xfe && second === 0xff) {
    return 'utf-16be';
  }
  const zero = bytes.indexOf(0);
  if (zero === -1) {
    return 'utf-8';
  }
  return zero % 2 === 1 ? 'utf-16le' : 'utf-16be';
}

/** Undefined for bytes that the encoding does not have, or that are no text. */
function decodedAs(label: Label, bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(label, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
