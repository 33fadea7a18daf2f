import { expect, test } from 'vitest';
import { exactNumber } from '../harness/exact-number.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { decided, stateWith } from './effects/decided.ts';

/** Decisions 1, "Numbers in free data": the digits as sent, and compared by them. RFC 8259, 6: doubles miss most numbers beyond 2^53. */

test.each([
  ['120210000000000123'],
  ['7615917337495251231'],
  ['5000.00'],
  ['0.123456789012345678901234567890'],
  ['1e2'],
  ['-0'],
  ['42'],
])('A step sets a custom field to %s with these digits, however deep', (digits) => {
  const fields = { n: exactNumber(digits), deep: [{ n: exactNumber(digits), text: '{{firstName}}' }] };
  const deep = `{"n":${digits},"deep":[{"n":${digits},"text":"Ada"}]}`;
  const set = JSON.stringify(decided('updateContact', { set: { setCustomFields: fields } }));
  expect(set).toContain(`"setCustomFields":${deep}`);
  const application = JSON.stringify(decided('createApplication', { name: 'Loan', customFields: fields }));
  expect(application).toContain(`"customFields":${deep}`);
});

const switched = (cases: readonly unknown[], stored: unknown) => {
  const context = { state: stateWith({ customFields: { n: stored } }) };
  return decided('switch', { field: 'contact.customFields.n', cases }, { context }).outcome;
};

test.each([
  [['120210000000000124', '120210000000000123'], '120210000000000123', '120210000000000123'],
  [['120210000000000124'], '120210000000000123', undefined],
  [['5000.00'], '5000', '5000.00'],
  [['5e3'], '5000.0', '5e3'],
  [['7'], '7.0', '7'],
  [['0.1'], '0.1000000000000000055511151231257827', undefined],
])('A switch with the cases %j takes for %s the way %s', (cases, stored, way) => {
  const outcome = switched(cases.map(exactNumber), exactNumber(stored));
  expect(outcome).toEqual({ status: 'passed', ...(way !== undefined && { way }) });
});

test('A duration may be written with a fraction of zero', () => {
  const wait = (value: unknown) => decided('delay', { value, unit: 'minutes' });
  expect(wait(exactNumber('5.0'))).toEqual(wait(5));
  expect(wait(5)).not.toEqual(wait(6));
});

test('A run sets a custom field of its contact to all digits of its node', async () => {
  const tenants = await setUpTenants();
  const runs = await prepareRuns(tenants);
  const { _id: contactId } = await tenants.newContact();
  const [id, decimal] = ['120210000000000123', '0.123456789012345678901234567890'];
  const setCustomFields = { ad: exactNumber(id), score: exactNumber(decimal) };
  const workflow = await runs.newWorkflow(
    inARow([{ type: 'updateContact', data: { set: { setCustomFields } } }]),
  );
  await runs.advance(await runs.start(workflow, contactId));
  const read = { token: tenants.rep.token, path: { id: contactId } };
  const { text } = await tenants.product.call('read-contact', read);
  expect(text).toContain(`"customFields":{"ad":${id},"score":${decimal}}`);
});
