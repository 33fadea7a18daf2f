// Compiled and run beside `client.js` and `client.d.ts`, as the host serves them.

import type * as client from './client.js';
import type { Contact, CreateContactRequest, LiveEvent } from './client.js';
import { ApiError, createClient, verifyWebhook } from './client.js';
// The sources of the client, whose declarations are written by hand.
import type * as apiError from './runtime/api-error.ts';
import type * as session from './runtime/session.ts';
import type * as webhook from './runtime/verify-webhook.ts';

/** What a person does; what they then see. */
async function calls(baseUrl: string) {
  const client = createClient({ baseUrl });
  const email = `${crypto.randomUUID()}@example.com`;
  const ada = { email, password: 'correct horse battery', firstName: 'Grace', lastName: 'Hopper' };
  const { user } = await client.register({ ...ada, role: 'ADMIN' });
  const body: CreateContactRequest = { firstName: 'Ada', email: null, customFields: { city: 'London' } };
  const created: Contact = (await client.createContact(body)).data;
  await client.updateContact({ id: created._id }, { lastName: 'King' });
  const { data: read } = await client.readContact({ id: created._id });
  const { data: board } = await client.listContactsByStage({ search: 'king' });
  await client.createReminder({ contactId: created._id, note: 'Call', remindAt: '2099-01-15T09:00:00Z' });
  const notes: string[] = [];
  for await (const reminder of client.listReminders({ contactId: created._id, limit: 1 })) {
    notes.push(reminder.note);
  }
  const page = await client.listReminders();
  const cursor: string | null = page.nextCursor;
  const missing = await client.readContact({ id: 'nobody' }).catch((error: unknown) => error);
  return {
    user: user.fullName,
    read: read.fullName,
    board: Object.values(board).flatMap(({ contacts }) => contacts.map(({ fullName }) => fullName)),
    notes,
    cursor,
    missing: missing instanceof ApiError ? [missing.status, missing.message] : undefined,
  };
}

/** What a program cannot write: each of these lines must be an error of the compiler. */
export async function mistakes(baseUrl: string) {
  const client = createClient({ baseUrl, session: { token: '', refreshToken: '' } });
  // @ts-expect-error There is no such operation.
  await client.readContacts();
  // @ts-expect-error A contact is read by its id.
  await client.readContact();
  // @ts-expect-error There is no such query parameter.
  await client.listReminders({ limt: 10 });
  // @ts-expect-error A reminder needs to know when.
  await client.createReminder({ contactId: 'c', note: 'Call back' });
  // @ts-expect-error A contact has no such field.
  (await client.readContact({ id: 'c' })).data.nickname;
  // @ts-expect-error A record has no pages.
  for await (const _ of client.readContact({ id: 'c' })) {
  }
  // @ts-expect-error A webhook is verified with its secret.
  await verifyWebhook({ body: '', headers: {} });
}

/** An event is told apart by its name, and has the data of it. */
export function heard({ event, data }: LiveEvent): string | undefined {
  return event === 'contact_created' ? data.contact?.fullName : undefined;
}

/** What the sources export is what the declarations say, but for the event, which the sources cannot know. */
export const declared = (
  error: InstanceType<typeof apiError.ApiError>,
  { keepInBrowser }: typeof session,
  sources: typeof webhook,
): {
  error: ApiError;
  keepInBrowser: typeof client.keepInBrowser;
  WebhookVerificationError: typeof client.WebhookVerificationError;
  verifyWebhook(...request: Parameters<typeof client.verifyWebhook>): Promise<unknown>;
} => ({ error, keepInBrowser, ...sources });

console.log(JSON.stringify(await calls(process.argv[2] ?? '')));
