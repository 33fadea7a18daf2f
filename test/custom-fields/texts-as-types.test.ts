import { beforeEach, expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { expectStatus } from '../harness/tenants.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { inARow, prepareRuns } from '../workflows/advancing.ts';
import { customFieldsClient } from './client.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const fields = customFieldsClient(product, admin);
const leads = leadsClient(product, admin);
const configuration = await leads.configure();
const runs = await prepareRuns(tenants);
const stream = await tableStream(product);

beforeEach(async () => {
  for (const { _id } of await fields.list()) {
    await fields.remove(_id);
  }
});

const ofLead = async (lead: object) => {
  const { contactId } = await leads.sent(configuration._id, { customData: lead });
  return (await leads.contact(contactId)).customFields;
};

test.each<[type: string, texts: readonly [sent: unknown, stored: unknown][], unfit: readonly unknown[]]>([
  [
    'text',
    [
      ['a', 'a'],
      [80301, '80301'],
      [true, 'true'],
    ],
    [['a']],
  ],
  [
    'number',
    [
      ['5', 5],
      [' -0012.50 ', -12.5],
      ['+3', 3],
      [4, 4],
    ],
    ['5,5', 'five', true],
  ],
  [
    'boolean',
    [
      ['true', true],
      ['Yes', true],
      [1, true],
      ['no', false],
      ['0', false],
    ],
    ['maybe', 2],
  ],
  ['date', [[' 2026-02-28 ', '2026-02-28']], ['28.2.2026']],
  ['dateTime', [['2026-02-28T10:00Z', '2026-02-28T10:00:00.000Z']], ['tomorrow']],
  ['oneOf', [['RED', 'Red']], ['Green']],
  [
    'anyOf',
    [
      ['red|Blue', ['Red', 'Blue']],
      ['blue', ['Blue']],
      [['red'], ['Red']],
    ],
    ['Red|Green', 'Red,Blue'],
  ],
  ['url', [[' https://example.com ', 'https://example.com']], ['example.com']],
])(
  'A lead has the text of a field read as its type, %s, and keeps beside it what does not fit',
  async (type, texts, unfit) => {
    await fields.defined({ key: 'it', type, ...(type.endsWith('Of') && { options: ['Red', 'Blue'] }) });
    for (const [sent, stored] of texts) {
      expect(await ofLead({ it: sent, free: sent })).toEqual({ it: stored, free: sent });
    }
    for (const it of unfit) {
      expect(await ofLead({ it })).toEqual({ it__raw: it });
    }
  },
);

test('A lead names a user by the email address or the id', async () => {
  await fields.defined({ key: 'agent', type: 'user' });
  const { email } = expectStatus(
    await product.call('read-user', { token: admin.token, path: { id: rep.userId } }),
    200,
  ).data;
  expect(await ofLead({ agent: email.toUpperCase() })).toEqual({ agent: rep.userId });
  expect(await ofLead({ agent: rep.userId })).toEqual({ agent: rep.userId });
  expect(await ofLead({ agent: 'nobody@example.com' })).toEqual({ agent__raw: 'nobody@example.com' });
});

test('A lead is never refused for a required field, and a blank in it takes no value away', async () => {
  await fields.defined({ key: 'age', type: 'number', required: true });
  const phoneNumber = '+13035550177';
  const { contactId } = await leads.sent(configuration._id, { phoneNumber, customData: { age: '41' } });
  await leads.sent(configuration._id, { phoneNumber, customData: { age: ' ', city: 'Paris' } });
  expect((await leads.contact(contactId)).customFields).toEqual({ age: 41, city: 'Paris' });
  expect(await ofLead({})).toEqual({});
});

test('A step of a workflow has its filled texts read as the types of the fields, and fails for what does not fit', async () => {
  await fields.defined({ key: 'visits', type: 'number' });
  const contacts = contactsClient(product, rep);
  const { _id: id } = await contacts.created({ firstName: 'Ada', customFields: { seen: 7, word: 'many' } });
  const step = async (visits: string) => {
    const workflow = await runs.newWorkflow(
      inARow([{ type: 'updateContact', data: { set: { setCustomFields: { visits } } } }]),
    );
    const runId = await runs.start(workflow, id);
    await stream.settle();
    await runs.deliverAll(new Date());
    return (await product.call('read-workflow-run', { token: rep.token, path: { id: runId } })).body.data;
  };
  expect((await step('{{contact.customFields.seen}}')).status).toBe('finished');
  expect((await contacts.read(id)).body.data.customFields).toMatchObject({ visits: 7 });
  expect(JSON.stringify(await step('{{contact.customFields.word}}'))).toContain(
    'setCustomFields.visits must be a number',
  );
  expect((await contacts.read(id)).body.data.customFields).toMatchObject({ visits: 7 });
});
