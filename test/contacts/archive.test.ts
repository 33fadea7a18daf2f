import { expect, test } from 'vitest';
import { callsClient } from '../calls/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { inARow, prepareRuns } from '../workflows/advancing.ts';
import { runsClient } from '../workflows/runs-client.ts';
import { contactsClient, newContactsClient } from './client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, newContact } = tenants;
const contacts = contactsClient(product, rep);

const archive = (id: string, { token } = rep) => product.call('archive-contact', { token, path: { id } });
const restore = (id: string, { token } = rep) => product.call('restore-contact', { token, path: { id } });
const eventsAbout = async (id: string) =>
  (await readEvents(product, admin.organizationId))
    .filter(({ data }) => data.contactId === id)
    .map(({ event }) => event);
const totals = async (client = contacts) =>
  Object.values(await client.board({ ownerFilter: 'all', stages: ['New', 'Won'] })).map(({ total }) => total);
const found = async (search: string, client = contacts) =>
  (await client.everything({ search, ownerFilter: 'all' })).map(({ _id }) => _id);
const inbox = async (contactId: string) =>
  (await arrange(product.call('list-conversations', { token: rep.token, query: {} }))).data.filter(
    (conversation: { contactId: string }) => conversation.contactId === contactId,
  );

test('An archived contact is in no board, search or inbox, is read by its id, and keeps its number', async () => {
  const own = await newContactsClient(product);
  const number = newPhoneNumber();
  const contact = await own.created({ firstName: 'Away', phoneNumbers: [{ value: number }] });
  const { data, message } = expectStatus(await archive(contact._id, own.admin), 200);
  expect(message).toBe('Contact archived');
  expect(data).toEqual({ ...contact, updatedAt: data.updatedAt, archivedAt: data.updatedAt });
  expect([await totals(own), await found('Away', own)]).toEqual([[0, 0], []]);
  expect((await own.read(contact._id)).body.data).toEqual(data);
  expect(await own.create({ phoneNumbers: [{ value: number }] })).toMatchObject({
    status: 409,
    body: { contactId: contact._id },
  });
  expect((await archive(contact._id, own.admin)).body.message).toBe('The contact is archived already');
  const back = expectStatus(await restore(contact._id, own.admin), 200);
  expect(back).toMatchObject({
    message: 'Contact restored',
    data: { ...contact, updatedAt: expect.any(String) },
  });
  expect(Object.keys(back.data)).toEqual(Object.keys(contact));
  expect([await totals(own), await found('Away', own)]).toEqual([[1, 0], [contact._id]]);
  expect((await restore(contact._id, own.admin)).body.message).toBe('The contact is not archived');
});

test('Each archiving and restoring is an event, and an entry of the timeline, once', async () => {
  const stream = await tableStream(product);
  const { _id } = await newContact();
  await Promise.all([archive(_id), archive(_id)]);
  await Promise.all([restore(_id), restore(_id)]);
  expect(await eventsAbout(_id)).toEqual(['contact_created', 'contact_archived', 'contact_restored']);
  await stream.settle();
  const timeline = await arrange(product.call('list-timeline', { token: rep.token, path: { id: _id } }));
  expect(timeline.data.map(({ summary }: { summary: string }) => summary)).toEqual([
    expect.stringMatching(/ restored the contact\.$/),
    expect.stringMatching(/ archived the contact\.$/),
    expect.stringMatching(/ created the contact\.$/),
  ]);
});

test('A contact that somebody may not see can neither be archived nor restored', async () => {
  const { _id } = await newContact();
  for (const act of [archive, restore]) {
    expect((await act(_id, otherRep)).status).toBe(404);
  }
  expect(await eventsAbout(_id)).toEqual(['contact_created']);
});

test('A text, a call or a lead restores the contact in its stage, with its conversations', async () => {
  const webhook = await newWebhookClient(product, admin, rep);
  const calls = callsClient(product, rep);
  const leads = leadsClient(product, admin);
  const { _id: configurationId } = await leads.configure();
  const ways: Readonly<Record<string, (number: string, id: string) => Promise<unknown>>> = {
    'a text from it': (From) => arrange(webhook.text({ From, Body: 'Hello again' })),
    'a STOP from it': (From) => arrange(webhook.text({ From, Body: 'STOP' })),
    'a text to it': (_, contactId) =>
      arrange(product.call('send-message', { token: rep.token, body: { contactId, content: 'Hello' } })),
    'a call to it': (_, contactId) => arrange(calls.dial({ contactId })),
    'a second call to it': (_, contactId) => arrange(calls.dial({ contactId })),
    'a lead': (phoneNumber) => leads.sent(configurationId, { phoneNumber }),
  };
  for (const [way, come] of Object.entries(ways)) {
    const number = newPhoneNumber();
    const { _id } = await newContact({ phoneNumbers: [{ value: number }] });
    await arrange(contacts.move(_id, { stage: 'Won' }));
    await arrange(webhook.text({ From: number }));
    await arrange(calls.dial({ contactId: _id }));
    expect(await inbox(_id), way).toHaveLength(2);
    await arrange(archive(_id));
    expect(await inbox(_id), way).toEqual([]);
    await come(number, _id);
    const { data } = expectStatus(await contacts.read(_id), 200);
    expect(data, way).not.toHaveProperty('archivedAt');
    expect(data, way).toMatchObject({ stage: 'Won' });
    expect(await found(number), way).toEqual([_id]);
    expect(await inbox(_id), way).toHaveLength(2);
    const events = await eventsAbout(_id);
    expect(
      events.filter((name) => name === 'contact_restored'),
      way,
    ).toHaveLength(1);
    expect(events.indexOf('contact_restored'), way).toBe(events.indexOf('contact_archived') + 1);
  }
});

test('A stage with an archived contact, or with an application of one, cannot be removed until it is empty', async () => {
  const own = await newContactsClient(product);
  const pipelines = pipelinesClient(product, own.admin);
  const partners = await pipelines.created({ name: 'Partners', stages: ['Invited', 'Met'] });
  const { _id } = await own.created({ firstName: 'Kept', pipelineId: partners._id, stage: 'Met' });
  await arrange(archive(_id, own.admin));
  const remove = () =>
    product.call('delete-pipeline', { token: own.admin.token, path: { id: partners._id } });
  expect(await remove()).toMatchObject({
    status: 409,
    body: {
      message: 'The stage "Met" still holds archived contacts. Restore and move them, or delete them first.',
    },
  });
  await arrange(own.move(_id, { stage: 'Invited' }));
  expect((await remove()).body.message).toContain('"Invited"');
  await arrange(own.remove(_id));
  expect((await remove()).status).toBe(200);
});

test('Totals stay exact whatever happens to contacts while they are archived', async () => {
  const own = await newContactsClient(product);
  const ids = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => (await own.created({ firstName: `Number ${index}` }))._id),
  );
  const changes = [
    (id: string) => own.move(id, { stage: 'Won' }),
    (id: string) => own.update(id, { owner: null, tags: ['away'] }),
    (id: string) => own.remove(id),
  ];
  await Promise.all(
    ids.map(async (id, index) => {
      await arrange(archive(id, own.admin));
      await arrange(changes[index % changes.length]?.(id) ?? Promise.reject());
      if (index % changes.length < 2 && index < 6) {
        await arrange(restore(id, own.admin));
      }
    }),
  );
  // Of each three, one is moved, one changed and one deleted; the first six are restored.
  expect(await totals(own)).toEqual([2, 2]);
  expect(await own.everything({ ownerFilter: 'all' })).toHaveLength(4);
  await Promise.all(ids.map((id) => restore(id, own.admin)));
  expect(await totals(own)).toEqual([4, 4]);
});

test('Runs of an archived contact end with `contact_archived`, whoever owns their workflows', async () => {
  const runs = await prepareRuns(tenants);
  const stream = await tableStream(product);
  const { _id: contactId } = await newContact();
  const workflow = await runs.newWorkflow(inARow([{ type: 'delay', data: { value: 1, unit: 'days' } }]));
  const id = await runs.start(workflow, contactId);
  await runs.advance(id);
  await arrange(archive(contactId));
  await stream.settle();
  expect((await runsClient(product, admin).read(id)).body.data).toMatchObject({
    status: 'cancelled',
    reason: 'contact_archived',
  });
});
