import { describe, expect, test } from 'vitest';
import { readLayout, rowsAfter } from '../../functions/imports/model/csv-file.ts';
import { decodeFile } from '../../functions/imports/model/decode-file.ts';

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const layoutOf = (file: string | Uint8Array, sample = 10) =>
  readLayout(decodeFile(typeof file === 'string' ? Buffer.from(file) : file), sample);

describe('The encoding of a file', () => {
  const text = 'Name;Größe\r\nŻółć;€ 5\r\n';

  test.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from(text), 'UTF-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), 'UTF-8'],
    ['UTF-16 of Windows with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le'), 'UTF-16'],
    ['UTF-16 of Windows without one', Buffer.from(text, 'utf16le'), 'UTF-16'],
    ['UTF-16 in network order with a byte order mark', utf16be(`\ufeff${text}`), 'UTF-16'],
    ['UTF-16 in network order without one', utf16be(text), 'UTF-16'],
  ])('%s is recognized, and its mark is no part of the first column', (_, file, encoding) => {
    expect(decodeFile(file).encoding).toBe(encoding);
    expect(layoutOf(file)).toMatchObject({
      columns: ['Name', 'Größe'],
      rows: [{ row: 2, cells: ['Żółć', '€ 5'] }],
    });
  });

  test('Other bytes are Windows-1252, with its quotes and its euro sign', () => {
    const file = Buffer.concat([
      Buffer.from('Name;Preis\n'),
      Buffer.from([0x93, 0x4a, 0xf6, 0x72, 0x67, 0x94, 0x3b, 0x80, 0x20, 0x35]),
    ]);
    expect(decodeFile(file).encoding).toBe('Windows-1252');
    expect(layoutOf(file).rows).toEqual([{ row: 2, cells: ['“Jörg”', '€ 5'] }]);
  });

  test('Accents that stand alone belong to their letters, as in the mapping', () => {
    expect(layoutOf('Pre\u0301nom,Nom\nAda,x').columns).toEqual(['Pr\u00e9nom', 'Nom']);
  });

  test.each<[string, Uint8Array]>([
    ['A workbook', Buffer.from('PK\u0003\u0004\u0014\0\u0006\0\b\0\0\0!\0')],
    ['A picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])],
  ])('%s is refused, and says what to upload instead', (_, file) => {
    expect(() => layoutOf(file)).toThrow('is no text. Save the table as CSV');
  });
});

describe('The separator of a file', () => {
  test.each([
    ['commas', 'a,b;c,d\n1,2;3,4\n', ',', ['a', 'b;c', 'd']],
    ['semicolons', 'a;b;c\n1,5;2,5;3,5\n', ';', ['a', 'b', 'c']],
    ['tabs', 'a\tb, c\n1\t2, 3\n', '\t', ['a', 'b, c']],
    ['semicolons beside commas', 'Last, first;Phone\nKing, Ada;1\nBoole;2\n', ';', ['Last, first', 'Phone']],
    ['none, with a single column', 'Email\na@example.com\n', ',', ['Email']],
  ])('%s', (_, file, separator, columns) => {
    expect(layoutOf(file)).toMatchObject({ separator, columns });
  });
});

describe('The rows of a file', () => {
  const file = [
    'Name,Note\r\n', // 1
    'Ada,"first\r\nsecond"\r\n', // 2, 3
    '\r\n', // 4
    'George,"says ""hello"", twice"\n', // 5
    ' , \n', // 6
    'Mary,5" pipe\r', // 7
    '"Alan","a\nb\n"\r\n', // 8 to 10
    'Grace,last', // 11
  ].join('');

  test('They are numbered by the lines of the file, also those between quotes and empty ones', () => {
    const { total, rows } = layoutOf(file);
    expect(rows).toEqual([
      { row: 2, cells: ['Ada', 'first\r\nsecond'] },
      { row: 5, cells: ['George', 'says "hello", twice'] },
      { row: 7, cells: ['Mary', '5" pipe'] },
      { row: 8, cells: ['Alan', 'a\nb\n'] },
      { row: 11, cells: ['Grace', 'last'] },
    ]);
    expect(total).toBe(5);
  });

  test('They are read on from any row, with the same numbers', () => {
    const name = (row: number) => (row % 7 === 0 ? `"Ünal\n${row}"` : `Ada ${row}`);
    const rows = Array.from({ length: 3_500 }, (_, row) => `${name(row)};${row}\n`);
    const long = decodeFile(Buffer.from(`Name;Row\n${rows.join('')}`));
    const layout = readLayout(long, 3_500);
    expect(layout.places).toHaveLength(4);
    for (const after of [0, 1, 2, 1_143, 1_144, 2_000, layout.rows.at(-2)?.row ?? 0, 100_000]) {
      const expected = layout.rows.filter(({ row }) => row > after);
      expect([...rowsAfter(long.bytes, layout, after)]).toEqual(expected);
    }
  });

  test('Columns without a name, and those with the same name, get names of their own', () => {
    expect(layoutOf('Phone,,Phone, Phone ,Name\n').columns).toEqual([
      ...['Phone', 'Column 2', 'Phone (2)', 'Phone (3)', 'Name'],
    ]);
  });

  test('Quotes that never end are refused, with the line in which they may begin', () => {
    const file = 'Name,Note\nAda,fine\nGeorge,"open\nMary,x\n';
    expect(() => layoutOf(file)).toThrow('in the row of line 3 or below');
  });

  test('More than 100,000 rows are refused', () => {
    expect(layoutOf(`Name\n${'x\n'.repeat(100_000)}`).total).toBe(100_000);
    expect(() => layoutOf(`Name\n${'x\n'.repeat(100_001)}`)).toThrow('more than 100000 rows');
  });

  test('A file without any line is refused', () => {
    expect(() => layoutOf(' \n\n')).toThrow('Its first line must name the columns');
  });
});
