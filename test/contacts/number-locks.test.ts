import { expect, test } from 'vitest';
import { statedConsent } from '../../shared/contacts/consent.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import { toDigest } from '../../shared/table/digest.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { prepareNumbers, stopped } from '../messages/number-consent-client.ts';
import { rowsOfOrganization } from './raw-table.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const numbers = await prepareNumbers(tenants);

test('Of a number that nobody has any more, a digest and its consent are left, and nothing if it never said any', async () => {
  const [silent, { number, id }] = [newPhoneNumber(), await stopped(numbers)];
  await numbers.remove(await numbers.having(silent));
  await numbers.remove(id);
  const rows = await rowsOfOrganization(product, rep.organizationId, 'PHONE#');
  const rowsOf = (value: string) => rows.filter(({ pk }) => pk.endsWith(`#${toDigest(value)}`));
  expect(rowsOf(silent)).toEqual([]);
  const [row, ...more] = rowsOf(number);
  expect(more).toEqual([]);
  expect(Object.keys(row ?? {}).sort()).toEqual(['consent', 'pk', 'sk', 'version']);
  expect(JSON.stringify(rows)).not.toContain(number.slice(1));
  // The contact that gets the number next takes it over whole.
  const next = await numbers.having(number);
  const stored = await numbers.table.read(contactKey(next));
  expect(stored && statedConsent(stored.data, number)).toMatchObject({ sms: 'out' });
  const lock = await numbers.table.read(phoneLockKey(number));
  expect(lock?.attributes).toMatchObject({ contactId: next });
  expect(lock?.attributes).not.toHaveProperty('consent');
});
