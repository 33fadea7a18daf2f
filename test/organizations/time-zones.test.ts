import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { timeZones } from '../../functions/organizations/model/time-zones.ts';
import { operationNamed, parsedBody } from '../access/parsed-body.ts';

/** The release that the list was made of. */
const release = '2026d';

/** What the machine's own copy of the database says, where it has one: an independent source. */
const systemFile = '/usr/share/zoneinfo/tzdata.zi';

function systemZones(): { version: string; names: string[] } {
  const lines = readFileSync(systemFile, 'utf8').split('\n');
  const names = lines.flatMap((line) => {
    const [kind, first = '', second = ''] = line.split(' ');
    return kind === 'Z' ? [first] : kind === 'L' ? [second] : [];
  });
  return { version: lines[0]?.replace('# version ', '') ?? '', names };
}

/**
 * Decisions 7: `timezone` is a tzdb name or link (`UTC`, `Asia/Kolkata` and `Europe/Kyiv` are; `+05:30`, `PST8`, `GMT+5` and `EST5` are
 * not).
 */
test('Every name of the time zone database is taken as a time zone', async () => {
  const operation = operationNamed('update-business-hours');
  for (const timezone of timeZones) {
    expect(await parsedBody(operation, { timezone })).toEqual({ timezone });
  }
  expect(timeZones.size).toBe(598);
});

test.runIf(existsSync(systemFile))("The list is that of this machine's own copy of the database", () => {
  const { version, names } = systemZones();
  expect(names.length).toBeGreaterThan(500);
  // Names come, and nearly never go: of two releases, the later one has those of the earlier.
  const [earlier, later] = version > release ? [[...timeZones], names] : [names, [...timeZones]];
  expect(earlier.filter((name) => !later.includes(name))).toEqual([]);
});

test('The list has every zone that Intl knows, and none that it does not, but for Factory', () => {
  const known = Intl.supportedValuesOf('timeZone');
  expect(known.length).toBeGreaterThan(400);
  expect(known.filter((name) => !timeZones.has(name))).toEqual([]);
  const unknown = [...timeZones].filter((name) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: name }) === undefined;
    } catch {
      return true;
    }
  });
  expect(unknown).toEqual(['Factory']);
});

test.each([
  ...['+05:30', 'PST8', 'GMT+5', 'EST5', 'utc', 'europe/berlin'],
  ...['EUROPE/BERLIN', 'Europe/berlin', 'UTC+1', 'Etc/GMT+15', 'GMT+1', 'Europe/Atlantis'],
  ...['Europe', 'Europe/', 'PST', 'CEST', 'Berlin', 'posix/UTC'],
  ...['right/UTC', 'localtime', 'Asia/Kolkata ', ' UTC', '', 'constructor'],
  ...['../UTC'],
])('“`timezone` is a tzdb name or link”: “%s” is none', async (timezone) => {
  expect(await parsedBody(operationNamed('update-business-hours'), { timezone })).toBe(
    'timezone must be a name of the IANA time zone database, like Europe/Berlin',
  );
});
