import { once } from 'node:events';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { stringify } from 'csv-stringify/sync';
import type { Contact } from '../../../shared/contacts/contact.ts';
import { parseJson } from '../../../shared/kernel/exact-numbers.ts';
import { type Extent, exportColumns } from './export-cells.ts';

export const exportFormats = ['csv', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Some contacts, packed until all are there: only then it is known which columns there are. */
export const packedPart = (contacts: readonly Contact[]): Uint8Array => gzipSync(JSON.stringify(contacts));

const contactsIn = (part: Uint8Array) => parseJson(gunzipSync(part).toString()) as Contact[];

interface Table {
  readonly fields: readonly string[];
  readonly extent: Extent;
  nameOf(userId: string): string;
}

/** The gzipped file with the contacts of all parts, each once. */
export async function buildFile(
  format: ExportFormat,
  parts: AsyncIterable<Uint8Array>,
  table: Table,
): Promise<{ readonly file: Uint8Array; readonly total: number }> {
  const gzip = createGzip();
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(gzip, 'end');
  const seen = new Set<string>();
  const textOf = format === 'csv' ? csvText(table) : jsonText(table);
  for await (const part of parts) {
    const contacts = contactsIn(part).filter(({ _id }) => !seen.has(_id));
    for (const { _id } of contacts) {
      seen.add(_id);
    }
    gzip.write(textOf(contacts));
  }
  gzip.end(textOf([], true));
  await ended;
  return { file: Buffer.concat(chunks), total: seen.size };
}

/** RFC 4180, with a byte order mark, by which spreadsheets know that it is UTF-8. */
function csvText({ fields, extent, nameOf }: Table) {
  const columns = exportColumns(fields, extent, nameOf);
  let head: string[][] = [columns.map(({ name }) => name)];
  return (contacts: readonly Contact[]): string => {
    const isFirst = head.length > 0;
    const rows = contacts.map((contact) => columns.map(({ cell }) => cell(contact)));
    const text = stringify([...head, ...rows], { record_delimiter: 'windows' });
    head = [];
    return isFirst ? `\ufeff${text}` : text;
  };
}

/** An array of contacts as the API shows them; of each only these fields. */
function jsonText({ fields }: Table) {
  const wanted = new Set(fields.map((field) => (field === 'phone' ? 'phoneNumbers' : field)));
  let before = '[';
  return (contacts: readonly Contact[], isLast = false): string => {
    const texts = contacts.map((contact) =>
      JSON.stringify(Object.fromEntries(Object.entries(contact).filter(([name]) => wanted.has(name)))),
    );
    const text = texts.map((one, index) => (index === 0 ? `${before}${one}` : one)).join(',\n');
    before = texts.length > 0 ? ',\n' : before;
    return isLast ? `${before === '[' ? '[' : ''}]\n` : text;
  };
}
