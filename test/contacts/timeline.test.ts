import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { writeTimeline } from '../../functions/contacts/model/timeline/write-timeline.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { timelineChangeRange } from '../../shared/contacts/timeline-change.ts';
import { eventKey, type StoredEvent } from '../../shared/events/outbox.ts';
import { day, minute, after as plus, utcHour } from '../../shared/kernel/time.ts';
import { newApiKey } from '../api-keys/keys.ts';
import { newCallSid, newVoiceClient } from '../calls/reports.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { reminderRuns } from '../reminders/reminder-runs.ts';
import { newManualWorkflow, writeRuns } from '../workflows/runs-client.ts';
import { changeAt, type Entry, noteAt, setUpTimelines } from './timelines.ts';

const { tenants, product, written, stream, newPeople, write } = await setUpTimelines();
const now = new Date();

test('A timeline says in a sentence who created, changed, assigned and moved a contact, newest first', async () => {
  const { grace, alan, id, call, entries } = await newPeople();
  await call('update-contact', { path: { id }, body: { lastName: 'Byron', tags: ['VIP'] } });
  await call('update-contact', { path: { id }, body: { assignees: [grace.userId] } }, grace);
  await call('move-contact', { path: { id }, body: { stage: 'Won' } }, grace);
  const found = await entries();
  expect(found.map(({ type, summary }) => [type, summary])).toEqual([
    ['stage_changed', 'Grace Hopper moved the contact from New to Won.'],
    ['assigned', 'Grace Hopper assigned the contact to Grace Hopper.'],
    ['updated', 'Alan Turing changed the last name and the tags.'],
    ['created', 'Alan Turing created the contact.'],
  ]);
  expect(found.at(-1)).toMatchObject({
    actor: { type: 'user', id: alan.userId, name: 'Alan Turing' },
    refs: { stageId: expect.any(String) },
  });
  expect(found.map(({ at }) => at)).toEqual(
    found
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  );
});

test('An update that also assigns and states consent is an entry of each type', async () => {
  const { grace, id, call, entries } = await newPeople();
  await call('update-contact', { path: { id }, body: { owner: grace.userId, lastName: 'Byron' } }, grace);
  await call('update-consent', { path: { id }, body: { sms: 'out' } }, grace);
  expect((await entries({}, grace)).map(({ type, summary }) => [type, summary])).toEqual(
    expect.arrayContaining([
      ['consent', 'Grace Hopper recorded that the contact opted out of text messages.'],
      ['updated', 'Grace Hopper changed the last name.'],
      ['assigned', 'Grace Hopper assigned the contact to Grace Hopper.'],
    ]),
  );
});

test('Notes, reminders and applications are told with how they begin, and go when they are deleted', async () => {
  const { id, call, entries, summaries } = await newPeople();
  const { data: note } = await call('create-note', { body: { contactId: id, note: 'Likes engines' } });
  const remindAt = '2099-01-15T09:00:00Z';
  await call('create-reminder', { body: { contactId: id, note: 'Call back', remindAt } });
  const { data: application } = await call('create-application', { body: { contactId: id, name: 'Loan' } });
  const path = { id: application._id };
  await call('move-application', { path, body: { stage: 'Approved' } });
  expect((await entries()).map(({ type, summary }) => [type, summary])).toEqual([
    ['application', 'Alan Turing moved the application “Loan” from Submitted to Approved.'],
    ['application', 'Alan Turing created the application “Loan”.'],
    ['reminder', 'Alan Turing set a reminder for 2099-01-15 09:00 UTC: “Call back”.'],
    ['note', 'Alan Turing wrote a note: “Likes engines”.'],
    ['created', 'Alan Turing created the contact.'],
  ]);
  expect((await entries({ types: 'note' })).map(({ refs }) => refs)).toEqual([{ noteId: note._id }]);

  await call('delete-note', { path: { id: note._id } });
  await call('delete-application', { path });
  expect(await summaries({ types: 'note,application' })).toEqual([
    'Alan Turing deleted the application “Loan”.',
    'Alan Turing moved the application “Loan” from Submitted to Approved.',
  ]);
});

test('Texts and calls are told from both sides', async () => {
  const { admin, alan, id, phone, call, entries } = await newPeople();
  const webhook = await newWebhookClient(product, admin, alan);
  await arrange(webhook.text({ From: phone, Body: 'Is it ready?' }));
  await call('send-message', { body: { contactId: id, content: 'Nearly!' } });
  const { call: started } = await call('start-outbound-call', { body: { contactId: id } });
  await call('end-call', { path: { callId: started._id }, body: { status: 'busy' } });
  const voice = await newVoiceClient(product, admin, alan);
  await arrange(voice.report({ CallSid: newCallSid(), From: phone, CallStatus: 'no-answer' }));
  const found = (await entries({ types: 'message,call' })).map(({ type, summary }) => [type, summary]);
  expect(found).toEqual([
    ['call', 'The contact called Alan Turing, and nobody answered.'],
    ['call', 'Alan Turing called the contact, and the line was busy.'],
    ['message', 'Alan Turing sent a text message: “Nearly!”.'],
    ['message', 'The contact sent a text message: “Is it ready?”.'],
  ]);
  await arrange(webhook.text({ From: phone, Body: 'STOP' }));
  expect((await entries({ types: 'consent' })).map(({ summary }) => summary)).toEqual([
    'The contact opted out of text messages.',
  ]);
});

test('Leads and runs of workflows are told', async () => {
  const { admin, grace, id, phone, call, entries } = await newPeople();
  const { data: configuration } = await call(
    'create-outreach-configuration',
    { body: { name: 'Fair' } },
    grace,
  );
  const lead = { configurationId: configuration._id, phoneNumber: phone, firstName: 'Ada', wish: 'A loan' };
  await arrange(product.call('receive-lead', { body: lead }));
  const workflow = await newManualWorkflow({ ...tenants, rep: grace });
  const run = { workflowId: workflow._id, contactId: id, userId: grace.userId, startedAt: plus(now, minute) };
  await writeRuns(product, admin.organizationId, [run]);
  const found = await entries({}, grace);
  const told = found.map(({ type, summary }) => [type, summary]);
  expect(told.slice(0, 2).toSorted()).toEqual([
    ['workflow_step', 'A workflow finished for the contact.'],
    ['workflow_step', 'A workflow started for the contact.'],
  ]);
  expect(told.slice(2)).toEqual([
    ['lead', 'A lead of the contact brought something new.'],
    ['updated', 'A lead changed custom fields.'],
    ['created', 'Alan Turing created the contact.'],
  ]);
  expect(found.find(({ type }) => type === 'lead')?.refs).toEqual({ configurationId: configuration._id });
});

test('A reminder that was due is told', async () => {
  const { alan, id, summaries } = await newPeople();
  const reminders = reminderRuns(product);
  const at = reminders.nextTime();
  await reminders.remind(alan, id, at, 'Call back');
  await reminders.run(at);
  expect((await summaries({ types: 'reminder' })).toSorted()).toEqual([
    'A reminder was due.',
    expect.stringMatching(/^Alan Turing set a reminder for .* UTC: “Call back”\.$/),
  ]);
});

test('What a program did has the name of its API key, for those who may list API keys', async () => {
  const { grace, id, call, entries, summaries } = await newPeople();
  const { key: token, data } = await newApiKey(product, grace, { name: 'Reporting' });
  await call('move-contact', { path: { id }, body: { stage: 'Won' } }, { token: token as string });
  const [moved] = await entries({ types: 'stage_changed' }, grace);
  expect(moved).toMatchObject({
    actor: { type: 'key', id: data._id, name: 'Reporting', userId: grace.userId },
    summary: 'The API key “Reporting” moved the contact from New to Won.',
  });
  expect(await summaries({ types: 'stage_changed' })).toEqual([
    'An API key of Grace Hopper moved the contact from New to Won.',
  ]);
});

test('An API key gets the types of its groups alone', async () => {
  const { grace, id, call, summaries } = await newPeople();
  await call('create-note', { body: { contactId: id, note: 'Likes engines' } });
  const { key: token } = await newApiKey(product, grace, { access: 'read', groups: ['Contacts'] });
  const created = ['Alan Turing created the contact.'];
  expect(await summaries({}, { token: token as string })).toEqual(created);
  expect(await summaries({ types: 'note' }, { token: token as string })).toEqual([]);
});

test('types narrows the page; an unknown type and a cursor of another list are a 400', async () => {
  const { id, call, list, summaries } = await newPeople();
  await call('create-note', { body: { contactId: id, note: 'Likes engines' } });
  expect(await summaries({ types: 'created,merged' })).toEqual(['Alan Turing created the contact.']);
  const refused = await list({ types: 'created,eaten' });
  expect(refused.status).toBe(400);
  expect(refused.body.message).toMatch(/^types must have only these names.*workflow_step/);
  expect(await list({ cursor: Buffer.from('CONTACT#1').toString('base64url') })).toMatchObject({
    status: 400,
    body: { message: 'cursor must be a nextCursor of this list' },
  });
});

test('Who may not see a contact gets its timeline as that of a contact that does not exist', async () => {
  const { admin, id, list } = await newPeople();
  const other = await product.newColleague(admin);
  const foreign = await product.newOrganization();
  const missing = { status: 404, body: { error: 'Not found', message: 'Contact not found' } };
  expect(await list({}, other)).toMatchObject(missing);
  expect(await list({}, foreign)).toMatchObject(missing);
  expect(id).toHaveLength(26);
});

test('Changes are shown for 90 days, and records as long as they exist', async () => {
  const { admin, id, list } = await newPeople();
  await stream.settle();
  const rows = [89, 91, 400].flatMap((days) => [
    changeAt(id, plus(now, -days * day)),
    noteAt(id, plus(now, -days * day)),
  ]);
  await write(admin.organizationId, rows);
  const found = expectStatus(await list({}, undefined, now), 200).data as Entry[];
  expect(
    found
      .map(({ _id }) => _id)
      .filter((one) => rows.some(({ data }) => data._id === one))
      .toSorted(),
  ).toEqual([0, 1, 3, 5].map((index) => rows[index]?.data._id ?? '').toSorted());
});

/** The events of the organization in this hour. */
async function eventsOf(organizationId: string): Promise<StoredEvent[]> {
  const { table } = product.tableOf(organizationId);
  const { partition } = eventKey(utcHour(new Date()), '-');
  return (await table.list<StoredEvent>({ partition })).map(({ data }) => data);
}

test('A change takes one write unit for its entry, and the read of its contact', async () => {
  const { id, call } = await newPeople();
  await stream.settle();
  await call('move-contact', { path: { id }, body: { stage: 'Won' } });
  await stream.settle();
  expect(written.at(-1)).toMatchObject({ entries: 1, writeUnits: 1, readUnits: 1, requests: 2 });
});

test('An event that is delivered twice is told once', async () => {
  const { admin, id, call, summaries } = await newPeople();
  await call('move-contact', { path: { id }, body: { stage: 'Won' } });
  const before = await summaries();
  const { table } = product.tableOf(admin.organizationId);
  await writeTimeline(table, await eventsOf(admin.organizationId));
  expect(await summaries()).toEqual(before);
  expect(before).toHaveLength(2);
});

test('Erasing a contact erases its timeline, and events that come late bring nothing back', async () => {
  const { admin, grace, id, call } = await newPeople();
  await call('move-contact', { path: { id }, body: { stage: 'Won' } });
  await stream.settle();
  const { table } = product.tableOf(admin.organizationId);
  const left = () => table.list(timelineChangeRange(id));
  expect(await left()).toHaveLength(2);
  const events = await eventsOf(admin.organizationId);
  await call('delete-contact', { path: { id } }, grace);
  await stream.settle();
  expect(await left()).toEqual([]);
  await writeTimeline(table, events);
  expect(await left()).toEqual([]);
  expect(await table.read(contactKey(id))).toBeUndefined();
});

test('Events of older versions, without an actor, are told as done by the service', async () => {
  const { admin, summaries } = await newPeople();
  const before = await summaries();
  const { table } = product.tableOf(admin.organizationId);
  const [created] = (await eventsOf(admin.organizationId)).filter(({ event }) => event === 'contact_created');
  const { actor: _, ...old } = { ...created, id: ulid() } as StoredEvent;
  await writeTimeline(table, [old as StoredEvent]);
  expect(await summaries()).toEqual(['The service created the contact.', ...before]);
});
