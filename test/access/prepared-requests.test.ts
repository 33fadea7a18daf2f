import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { after, second } from '../../shared/kernel/time.ts';
import { newApiKey } from '../api-keys/keys.ts';
import type { Call } from '../harness/call.ts';
import { eventReader } from '../harness/events.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { uploadedFile } from '../notes/uploads-client.ts';
import { endAfterWrites } from './ended-process.ts';

// Requests that write something ahead of what they do: copies of files, a count, the first of more actions than a transaction has room for.

const tenants = await setUpTenants();
const { product, admin, newContact } = tenants;
const program = await newApiKey(product, admin);
const people = await Promise.all(Array.from({ length: 40 }, () => product.newColleague(admin)));
const newEvents = eventReader(product, admin.organizationId);
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

/** The longest that a request of an operation lives, and a second for the difference of clocks. */
const longestRun = 11 * second;

const newContactId = async () => (await newContact())._id;

async function newAttachments() {
  const { key, name } = await uploadedFile(product, admin, 'hello');
  return [{ key, name }];
}

const newMessage = async (token: string): Promise<Call> => ({
  token,
  body: { contactId: await newContactId(), content: 'Hello', attachments: await newAttachments() },
});

/** A note that notified so many, two with each edit, that one transaction has no room for the ends of their notifications. */
async function noteForMany(): Promise<Call> {
  const { token } = admin;
  const mentions = people.map(({ userId }) => userId);
  const body = { contactId: await newContactId(), note: 'For all' };
  const { data } = await arrange(product.call('create-note', { token, body }));
  const call = { token, path: { id: data._id } };
  for (let count = 2; count <= mentions.length; count += 2) {
    await arrange(product.call('edit-note', { ...call, body: { mentions: mentions.slice(0, count) } }));
  }
  return call;
}

const requests: readonly (readonly [sentence: string, name: string, () => Promise<Call>])[] = [
  ['A text with a file', 'send-message', () => newMessage(admin.token)],
  ['A text with a file from a program', 'send-message', () => newMessage(program.key)],
  [
    'A note with a file',
    'create-note',
    async () => ({
      token: admin.token,
      body: { contactId: await newContactId(), attachments: await newAttachments() },
    }),
  ],
  ['The deletion of a note that 40 were notified of', 'delete-note', noteForMany],
  [
    'An edit that takes 40 mentions out of a note',
    'edit-note',
    async () => ({ ...(await noteForMany()), body: { note: 'Nobody any more', mentions: [] } }),
  ],
];

/** The names of the events since the last time. */
const newNames = async () => (await newEvents()).map(({ event }) => event).sort();

test.each(requests)('%s happens once and has one response, wherever its process ended', async (...given) => {
  const [, name, newCall] = given;
  const usualCall = await newCall();
  await newEvents();
  const { message } = await arrange(product.call(name, usualCall));
  const usual = await newNames();

  for (let count = 1, hasEnded = true; hasEnded; count += 1) {
    const call = { ...(await newCall()), headers: { 'idempotency-key': randomUUID() } };
    await newEvents();
    const start = new Date();
    const said = vi.spyOn(console, 'error').mockReturnValue(undefined);
    endAfterWrites(faults, count);
    const first = await product.call(name, { ...call, at: start });
    faults.clear();
    said.mockRestore();
    hasEnded = first.status >= 300;
    const again = await product.call(name, { ...call, at: after(start, longestRun) });
    expect([again.status < 300, again.body.message]).toEqual([true, message]);
    expect(await newNames()).toEqual(usual);
    const repeated = await product.call(name, { ...call, at: after(start, 2 * longestRun) });
    expect([repeated.headers['idempotent-replayed'], repeated.text]).toEqual(['true', again.text]);
  }
});
