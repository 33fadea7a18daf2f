import { describe, expect, test } from 'vitest';
import { type Mapping, proposedMapping } from '../../functions/imports/model/columns.ts';
import { type RowReading, readRow } from '../../functions/imports/model/read-row.ts';
import { isDateFormat, isoDates, plainNumbers } from '../../functions/imports/model/written-values.ts';

const user = '01KF0FTXSNY6569FNF96QJWEWW';

/** Reads the row of a table with one column for each field. */
function read(cells: Record<string, string>, mapping: Mapping = {}, more: Partial<RowReading> = {}) {
  const columns = Object.keys(cells);
  const reading: RowReading = {
    columns,
    mapping: Object.fromEntries(columns.map((column) => [column, mapping[column] ?? column])),
    clearWith: undefined,
    toIsoDate: isoDates({}),
    zone: 'UTC',
    dateKeys: new Set(),
    toPlainNumber: plainNumbers(undefined),
    numberKeys: new Set(),
    userIds: new Map([
      [user, user],
      ['ada@example.com', user],
    ]),
    ...more,
  };
  return readRow(reading, Object.values(cells));
}

describe('The proposed mapping', () => {
  test('It finds the fields by the names that tables of other programs have', () => {
    const columns = [
      ...['Vorname', 'NACHNAME', 'E-Mail', 'Mobile Phone', 'Work Phone', 'Lead Source', 'Kundennummer'],
      ...['Shoe size', 'Budget (EUR)'],
    ];
    expect(proposedMapping(columns, [{ key: 'budget', label: 'Budget EUR' }])).toEqual({
      Vorname: 'firstName',
      NACHNAME: 'lastName',
      'E-Mail': 'email',
      'Mobile Phone': 'phone',
      'Work Phone': 'phone',
      'Lead Source': 'source',
      Kundennummer: 'externalId',
      'Shoe size': null,
      'Budget (EUR)': 'customFields.budget',
    });
  });

  test('A field is proposed once, but for phone numbers', () => {
    expect(proposedMapping(['Email', 'Email 2', 'Phone', 'Phone 2'], [])).toEqual({
      ...{ Email: 'email', 'Email 2': null },
      ...{ Phone: 'phone', 'Phone 2': 'phone' },
    });
  });

  test('The columns of an export are their fields', () => {
    const columns = ['_id', 'externalId', 'createdAt', 'customFields.Größe', 'updatedAt'];
    expect(proposedMapping(columns, [])).toEqual({
      ...{ _id: null, externalId: 'externalId', createdAt: 'createdAt' },
      ...{ 'customFields.Größe': 'customFields.Größe', updatedAt: null },
    });
  });
});

describe('The fields of a row', () => {
  test('Every field is read from its cell', () => {
    const cells = {
      ...{ firstName: 'Ada', lastName: 'King', email: ' ada@example.com ', source: 'Fair', stage: ' Won ' },
      ...{ owner: 'ADA@example.com', tags: 'vip|math \\| logic||', externalId: 'A-1', note: 'Two\nlines' },
      ...{ createdAt: '2026-03-04', 'customFields.size': '12' },
    };
    expect(read(cells, {}, { zone: 'America/New_York' })).toEqual({
      fields: {
        ...{ firstName: 'Ada', lastName: 'King', email: 'ada@example.com', source: 'Fair', owner: user },
        ...{ tags: ['vip', 'math | logic'], externalId: 'A-1', customFields: { size: 12 } },
      },
      cleared: [],
      stage: 'Won',
      createdAt: '2026-03-04T05:00:00.000Z',
      note: 'Two\nlines',
    });
  });

  test('Several columns give the numbers of a contact, each once, and the column behind one its label', () => {
    const cells = {
      ...{ Phone: '+1 303 555 0181', Kind: 'office', Mobile: '+44 (0)20 7946 0958', Fax: '+13035550181' },
    };
    const mapping = { Phone: 'phone', Kind: 'phoneLabel', Mobile: 'phone', Fax: 'phone' };
    expect(read(cells, mapping).fields.phoneNumbers).toEqual([
      { value: '+13035550181', label: 'office', isPrimary: false },
      { value: '+442079460958', label: '', isPrimary: false },
    ]);
  });

  test.each([
    ['Ada King Lovelace', 'Ada King', 'Lovelace'],
    ['Lovelace, Ada King', 'Ada King', 'Lovelace'],
    ['Plato', 'Plato', ''],
  ])('The full name %s has a first and a last one', (fullName, firstName, lastName) => {
    expect(read({ fullName }).fields).toEqual({ firstName, lastName });
  });

  test('A column for the first name is worth more than the full name', () => {
    expect(read({ fullName: 'Ada Lovelace', firstName: 'Augusta' }).fields).toEqual({
      firstName: 'Augusta',
      lastName: 'Lovelace',
    });
  });

  test('An empty cell says nothing, and the word that clears clears', () => {
    const cells = {
      ...{ email: '', source: ' ', lastName: 'NONE', owner: 'NONE', tags: 'NONE', phone: 'NONE' },
      ...{ externalId: 'none', 'customFields.size': 'NONE' },
    };
    const row = read(cells, {}, { clearWith: 'NONE' });
    expect(row.fields).toEqual({
      ...{ lastName: '', owner: null, externalId: 'none', customFields: { size: null } },
    });
    expect(row.cleared).toEqual(['phoneNumbers', 'tags']);
  });

  test.each([
    ["'=1+1", '=1+1'],
    ["''quoted", "'quoted"],
    ['=1+1', '=1+1'],
  ])('At most one apostrophe is taken away in front of %s', (cell, firstName) => {
    expect(read({ firstName: cell }).fields.firstName).toBe(firstName);
  });

  test('A custom field is a text, unless the column is that of an export', () => {
    const size = (cell: string) =>
      read({ Size: cell, 'customFields.b': cell }, { Size: 'customFields.a' }).fields.customFields;
    expect(size('02139')).toEqual({ a: '02139', b: '02139' });
    expect(size('[1]')).toEqual({ a: '[1]', b: [1] });
    expect(size('"5"')).toEqual({ a: '"5"', b: '5' });
    expect(JSON.stringify(size('12345678901234567890.10'))).toBe(
      '{"a":"12345678901234567890.10","b":12345678901234567890.10}',
    );
  });

  test.each<[string, Record<string, string>, string]>([
    ['A phone number', { phone: '0303 12' }, 'must be an E.164 phone number, like +15551234567'],
    ['An email address', { email: 'ada@' }, 'must be an email address of at most 254 characters'],
    ['An owner', { owner: 'x@y.z' }, 'must be the email address or id of a user of this organization'],
    ['A date', { createdAt: '4.3.2026' }, 'must be an ISO 8601 date or date-time'],
    ['A tag', { tags: `a|${'x'.repeat(51)}` }, 'must have at most 50 characters'],
  ])('%s that is none is named by its column, without its value', (_, cells, message) => {
    expect(() => read(cells)).toThrow(
      expect.objectContaining({ message: `Column "${Object.keys(cells)[0]}" ${message}` }),
    );
  });

  test('A row with more cells than the header is refused', () => {
    const reading = { columns: ['a'], mapping: {} } as unknown as RowReading;
    expect(() => readRow(reading, ['1', '2'])).toThrow('The row has 2 cells, but the header names 1 columns');
  });
});

describe('Dates of a file', () => {
  test.each([
    [{}, '2026-03-04', '2026-03-04'],
    [{}, '04.03.2026', '04.03.2026'],
    [{ locale: 'de' }, '4.3.2026', '2026-03-04'],
    [{ locale: 'en-US' }, '3/4/2026', '2026-03-04'],
    [{ locale: 'en-GB' }, '04/03/2026 17:05', '2026-03-04T17:05'],
    [{ locale: 'hu' }, '2026. 03. 04.', '2026-03-04'],
    [{ locale: 'ar-EG' }, '4/3/2026', '2026-03-04'],
    [{ dateFormat: 'DD.MM.YYYY HH:mm' }, '4.3.2026 7:05', '2026-03-04T07:05'],
    [{ dateFormat: 'MM-DD-YYYY', locale: 'de' }, '03-04-2026', '2026-03-04'],
    [{ dateFormat: 'DD.MM.YYYY' }, '2026-03-04', '2026-03-04'],
  ])('%j reads %s as %s', (options, written, iso) => {
    expect(isoDates(options)(written)).toBe(iso);
  });

  test.each([
    ['DD.MM.YYYY', true],
    ['YYYY-MM-DDTHH:mm:ss', true],
    ['DD.MM', false],
    ['DD.MM.YYYY HH', false],
    ['dd.mm.yyyy', false],
    ['DD/MM/YYYY DD', false],
  ])('%s as a format: %s', (format, isOne) => {
    expect(isDateFormat(format)).toBe(isOne);
  });
});

test.each([
  [undefined, '1,234.5', '1234.5'],
  [undefined, '1234.50', '1234.50'],
  ['de', '1.234,50', '1234.50'],
  ['de', '-1234567,5', '-1234567.5'],
  ['de', '1.5', '1.5'],
  ['de-CH', "1'234.5", '1234.5'],
  ['fr', '12 345,5', '12345.5'],
  ['de', '4.3.2026', '4.3.2026'],
])('In %s, the number %s is %s', (locale, written, plain) => {
  expect(plainNumbers(locale)(written)).toBe(plain);
});
