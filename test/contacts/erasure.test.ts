import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import readSeparationData from '../../functions/contacts/read-separation-data.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { after, hour, minute } from '../../shared/kernel/time.ts';
import type { CallRecord } from '../calls/client.ts';
import { newCallSid, newVoiceClient } from '../calls/reports.ts';
import type { ApiResponse, Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream, unzipped } from '../harness/table-stream.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newSid } from '../messages/webhook-client.ts';
import { uploadedFile } from '../notes/uploads-client.ts';
import { reminderRuns } from '../reminders/reminder-runs.ts';
import { type Canaries, type FilledContact, prepareFillings } from './filled-contact.ts';
import { finishErasures } from './finish-erasures.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, head } = tenants;
const stream = await tableStream(product);
const { webhook, names, newFilledContact } = await prepareFillings(tenants, stream);
/** Nobody deletes it. */
const kept = await newFilledContact();

const call = async (name: string, more: Call = {}, by: Person = rep) =>
  arrange(product.call(name, { token: by.token, ...more }));

/**
 * Operations that delete, or write nothing about a contact. An export, which is one, has a test of its own. An upload is about one only
 * once it is attached.
 */
const aboutNoContact = new Set([
  'read-separation-data',
  'create-uploads',
  ...['import-contacts', 'export-contacts'],
  // What it writes about is two contacts again: the tests of undone merges delete one of them.
  'undo-contact-change',
  ...['create-contact', 'delete-contact', 'delete-application', 'delete-note', 'delete-reminder'],
  'delete-message',
  ...[
    'create-webhook-endpoint',
    'update-webhook-endpoint',
    'delete-webhook-endpoint',
    'rotate-webhook-secret',
  ],
  ...['cancel-job', 'revert-job'],
  ...['create-api-key', 'delete-api-key', 'rotate-api-key', 'replay-webhook-receipt'],
  ...['delete-training-snapshot', 'discard-call', 'register', 'create-listing', 'delete-listing'],
  ...['accept-invitation', 'delete-invitation', 'invite-user', 'reset-password'],
  ...['mark-all-notifications-read', 'update-notification-preferences', 'assign-phone-number'],
  ...['remove-phone-number', 'update-phone-number', 'approve-phone-number', 'update-text-settings'],
  ...[
    'change-password',
    'confirm-factor',
    'create-department',
    'delete-department',
    'delete-factor',
    'delete-factors-of-user',
    'end-session',
    'login',
    'login-with-factor',
    'logout',
    'refresh',
    'sign-out-user',
  ],
  ...['update-department', 'update-business-hours', 'update-missed-call-message'],
  ...[
    'update-missed-call-policy',
    'update-organization',
    'update-registration-mode',
    'update-session-settings',
    'update-user',
  ],
  ...['clear-outreach-metrics-cache', 'create-outreach-configuration', 'delete-outreach-configuration'],
  ...['update-outreach-configuration', 'read-outreach-metrics', 'create-pipeline', 'delete-pipeline'],
  ...['create-custom-field', 'update-custom-field', 'delete-custom-field'],
  ...['create-segment', 'update-segment', 'delete-segment'],
  ...['update-pipeline', 'create-template', 'delete-template', 'update-template', 'create-workflow'],
  ...['delete-workflow', 'toggle-workflow', 'update-workflow'],
  ...[
    'create-webhook-endpoint',
    'update-webhook-endpoint',
    'delete-webhook-endpoint',
    'rotate-webhook-secret',
  ],
]);

test('The erasure of a contact is tried with every operation that may write about one', async () => {
  const writing = ofKind(await loadOperations(), 'http').filter(
    ({ operation: { uses } }) =>
      [uses.table, uses.organizations].includes('write') || uses.objects === 'uploads',
  );
  const untried = writing.map(({ name }) => name).filter((name) => !aboutNoContact.has(name));
  expect(untried.sort()).toEqual([...names].sort());
});

/** A contact of whom nothing is stored but a number. */
async function newNumbered() {
  const number = newPhoneNumber();
  const { _id: contactId } = await tenants.newContact({ phoneNumbers: [{ value: number }] });
  await stream.settle();
  return { contactId, number, digits: number.slice(1) };
}

/** Whatever of a contact lies in the table, in the store or in a queue: every canary contains the digits of the number. */
async function tracesOf({ digits }: Pick<Canaries, 'digits'>): Promise<string[]> {
  const objects = (await product.objects.contents()).map((bytes) => `object: ${unzipped(bytes)}`);
  return [...(await stream.texts()), ...objects.sort(), ...queued()].filter((text) => text.includes(digits));
}

/** Every message that waits in a queue; a deferred request, which is zipped, also unzipped. */
const queued = () =>
  Object.values(product.queues)
    .flatMap(({ waiting }) => waiting)
    .map(({ body }) => `message: ${body} ${unzipped(Buffer.from(body, 'base64'))}`);

const remove = async ({ contactId }: Pick<FilledContact, 'contactId'>) => {
  await call('delete-contact', { path: { id: contactId } });
  await stream.settle();
};

test('A scan of the table, the store and the queues finds no number, name, text or file of a deleted contact, except events, which the next run of a schedule erases', async () => {
  const filling = await newFilledContact();
  await reminderRuns(product).run(new Date());
  await stream.settle();
  // These queues hold texts, runs and mail, which have only ids.
  expect(queued().length).toBeGreaterThan(2);
  const tracesOfKept = await tracesOf(kept);
  // The contact with its views, its lists, its file and so on: the scan sees what there is.
  expect(tracesOfKept.length).toBeGreaterThan(40);

  await remove(filling);
  for (const text of await tracesOf(filling)) {
    expect(text).toMatch(/^pk: ORG#[^#]+#EVENTS#/m);
  }
  const due = (await stream.texts()).filter((text) => /^pk: PLATFORM#DUE/m.test(text));
  expect(due.filter((text) => text.includes(filling.contactId))).toEqual([]);
  // They belong to a reminder, one to call back, a scheduled text, the text to the caller of a missed call, and a run that waits.
  expect(due.filter((text) => text.includes(kept.contactId))).toHaveLength(5);
  const runs = (await stream.texts()).filter((text) => /^pk: ORG#[^#]+#WORKFLOW/m.test(text));
  expect(runs.filter((text) => text.includes(filling.contactId))).toEqual([]);
  expect(runs.filter((text) => text.includes(kept.contactId)).length).toBeGreaterThan(0);
  expect(await tracesOf(kept)).toEqual(tracesOfKept);
  await finishErasures(product, after(new Date(), minute));
  expect(await tracesOf(filling)).toEqual([]);
});

test('The links to the files of a deleted contact end, and its uploads cannot be attached to another one', async () => {
  const deleted = await newNumbered();
  const file = await uploadedFile(product, rep, `bytes ${deleted.digits}`, { name: 'offer.pdf' });
  const noteOn = async ({ contactId }: { contactId: string }) =>
    product.call('create-note', {
      token: rep.token,
      body: { contactId, attachments: [{ key: file.key, name: file.name }] },
    });
  const linkIn = (created: ApiResponse): string => created.body.data.attachments[0].signedUrl;
  const [own, other] = [linkIn(await noteOn(deleted)), linkIn(await noteOn(kept))];
  expect((await fetch(own)).status).toBe(200);
  await remove(deleted);
  expect((await fetch(own)).status).toBe(404);
  expect((await fetch(other)).status).toBe(200);
  expect((await noteOn(kept)).status).toBe(404);
});

test('The exports of a contact end when it is deleted, and otherwise within hours, for one contact alone', async () => {
  const { table, moment } = product.tableOf(admin.organizationId);
  const objects = await product.objects.of(admin.organizationId, 'exports');
  const newExport = async () => {
    const { _id: contactId } = await tenants.newContact();
    const request = { path: { id: contactId }, query: {}, body: undefined, headers: {} };
    const given = { table, objects, ...moment };
    const response = await readSeparationData.oversized?.(gzipSync('{}'), request as never, given);
    const location = response?.headers.location ?? '';
    return { contactId, statusOfDownload: async () => (await fetch(location)).status };
  };
  const [kept, deleted] = [await newExport(), await newExport()];
  await stream.settle();
  await call('delete-contact', { path: { id: deleted.contactId } });
  await stream.settle();
  expect([await kept.statusOfDownload(), await deleted.statusOfDownload()]).toEqual([200, 404]);
  await stream.expire(new Date(Date.now() + 2 * hour));
  expect(await kept.statusOfDownload()).toBe(404);
});

test('A note that is deleted takes its files along, and those of no other note', async () => {
  const { key, name } = await uploadedFile(product, rep, 'bytes', { name: 'offer.pdf' });
  const body = { contactId: kept.contactId, attachments: [{ key, name }] };
  const [first, second] = [
    (await call('create-note', { body })).data,
    (await call('create-note', { body })).data,
  ];
  await stream.settle();
  await call('delete-note', { path: { id: first._id } });
  await stream.settle();
  expect((await fetch(first.attachments[0].signedUrl)).status).toBe(404);
  expect((await fetch(second.attachments[0].signedUrl)).status).toBe(200);
});

test('The calls of a deleted contact keep their figures, without its number, recordings and text', async () => {
  const filling = await newFilledContact();
  const callsOf = async (): Promise<CallRecord[]> => {
    const { data } = await call('list-calls', { query: { limit: '100' } }, admin);
    return data.filter(({ contactId }: { contactId: string }) => contactId === filling.contactId);
  };
  const before = await callsOf();
  expect(before.map(({ direction }) => direction).sort()).toEqual([
    ...['inbound', 'inbound', 'inbound', 'outbound'],
  ]);
  await remove(filling);
  const after = before.map(({ from, to, missedCall, ...one }) => ({
    ...one,
    ...(one.direction === 'inbound' ? to && { to } : from && { from }),
    recordings: [],
    // The text was scheduled.
    ...(missedCall?.outcome === 'scheduled' && { missedCall: { outcome: 'skipped', reason: 'no_number' } }),
    ...(missedCall?.outcome === 'skipped' && { missedCall }),
  }));
  expect(await callsOf()).toEqual(after);
  for (const one of after) {
    expect((await call('read-call', { path: { callId: one._id } })).data).toEqual(one);
  }
});

test('A recording that the provider reports after the contact was deleted stays out of the call', async () => {
  const deleted = await newNumbered();
  const voice = await newVoiceClient(product, admin, rep);
  const report = { CallSid: newCallSid(), From: deleted.number, CallStatus: 'completed' };
  const { callId } = (await arrange(voice.report(report))).data;
  await remove(deleted);
  const RecordingUrl = 'https://api.twilio.com/REC-after-erasure';
  const { data } = await arrange(voice.report({ ...report, RecordingUrl }));
  expect(data).toMatchObject({ callId, duplicate: true });
  expect((await call('read-call', { path: { callId } }, admin)).data.recordings).toEqual([]);
});

test('Notifications about a deleted contact are gone, read or not, and the numbers of unread ones stay exact', async () => {
  const filling = await newFilledContact();
  await reminderRuns(product).run(new Date());
  await call('mark-all-notifications-read', {}, head);
  await remove(filling);
  for (const person of [rep, otherRep, head, admin]) {
    const { data } = await call('list-notifications', { query: { limit: '100' } }, person);
    const isAbout = ({ contactId }: { contactId: string }) => contactId === filling.contactId;
    expect(data.filter(isAbout)).toEqual([]);
    expect(data.length).toBeGreaterThan(0);
    const unread = data.filter(({ isRead }: { isRead: boolean }) => !isRead).length;
    expect((await call('count-unread-notifications', {}, person)).data).toEqual({ count: unread });
  }
});

test('A text that the provider repeats after its sender was deleted does not bring the sender back', async () => {
  const sender = await newNumbered();
  const message = { From: sender.number, MessageSid: newSid(), Body: `Call ${sender.digits}` };
  await arrange(webhook.text(message));
  expect(await tracesOf(sender)).not.toEqual([]);
  await remove(sender);
  expect((await webhook.text(message)).body.data).toMatchObject({
    duplicate: true,
    contactId: sender.contactId,
  });
  await stream.expire(new Date(Date.now() + 73 * hour + minute));
  expect(await tracesOf(sender)).toEqual([]);
});

test('The row that finds a sent message by the id of its provider is deleted with the contact', async () => {
  const filling = await newFilledContact();
  const found = async ({ contactId }: FilledContact) =>
    (await stream.texts()).filter(
      (text) => /^pk: PLATFORM#SENT_MESSAGE/m.test(text) && text.includes(contactId),
    );
  const { length } = await found(filling);
  expect(length).toBeGreaterThan(0);
  expect(await found(kept)).toHaveLength(length);
  await remove(filling);
  expect(await found(filling)).toEqual([]);
  expect(await found(kept)).toHaveLength(length);
});

test('Nothing is found of a deleted sender without a number, either', async () => {
  const digits = newPhoneNumber().slice(1);
  const { data } = await arrange(webhook.text({ From: `Canary ${digits}`, Body: `canary text ${digits}` }));
  const filling = { digits, contactId: data.contactId };
  await stream.settle();
  expect(await tracesOf(filling)).not.toEqual([]);
  await remove(filling);
  await stream.expire(new Date(Date.now() + 73 * hour + minute));
  expect(await tracesOf(filling)).toEqual([]);
});
