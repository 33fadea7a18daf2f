// Compiled and run beside the types that openapi-typescript has generated into schema.ts.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Contact = components['schemas']['Contact'];
type NewContact = components['schemas']['CreateContactRequest'];
type Frame = components['schemas']['ReceivedFrame'];

/** Twelve calls as a client writes them; what each of them answered. */
async function calls(baseUrl: string) {
  const visitor = createClient<paths>({ baseUrl });
  const registered = await visitor.POST('/api/auth/register', {
    body: {
      email: `${crypto.randomUUID()}@example.com`,
      password: 'correct horse battery',
      firstName: 'Grace',
      lastName: 'Hopper',
      role: 'ADMIN',
    },
  });
  const token: string = answered(registered).token;
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

  const pipelines = answered(await client.GET('/api/pipelines', { params: { query: { type: 'Contact' } } }));
  const second: string | undefined = pipelines.data[0]?.stages[1]?.name;

  const ada: NewContact = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: null,
    phoneNumbers: [{ value: '+1 (555) 010-1815', label: 'mobile' }],
    customFields: { city: 'London' },
  };
  const created: Contact = answered(await client.POST('/api/contacts/create', { body: ada })).data;
  const path = { id: created._id };
  const read = answered(await client.GET('/api/contacts/{id}', { params: { path } })).data;
  const updated = answered(
    await client.PUT('/api/contacts/{id}', { params: { path }, body: { lastName: 'King' } }),
  ).data;
  const moved = answered(
    await client.PUT('/api/contacts/{id}/stage', { params: { path }, body: { stage: second ?? '' } }),
  ).data;
  const board = answered(
    await client.POST('/api/contacts', {
      body: { search: 'king', createdDateRange: { start: read.createdAt, end: null } },
    }),
  );
  const note = answered(
    await client.POST('/api/contact-notes', { body: { contactId: created._id, note: 'Likes engines' } }),
  ).data;
  const reminder = answered(
    await client.POST('/api/reminders', {
      body: { contactId: created._id, note: 'Call back', remindAt: '2099-01-15T09:00:00Z' },
    }),
  ).data;
  const reminders = answered(
    await client.GET('/api/reminders', { params: { query: { contactId: created._id, limit: 10 } } }),
  );
  const workflow = answered(
    await client.POST('/api/workflows', {
      body: { name: 'Follow up', nodes: [{ id: 'start', type: 'trigger', position: { x: 0, y: 0 } }] },
    }),
  ).data;
  const missing = await client.GET('/api/contacts/{id}', { params: { path: { id: 'nobody' } } });

  return {
    user: answered(registered).user.fullName,
    stage: second,
    created: created.fullName,
    read: read.phoneNumbers[0]?.value,
    updated: updated.fullName,
    moved: moved.stage,
    board: Object.entries(board.data).flatMap(([stage, { contacts, total }]) =>
      contacts.map(({ fullName }) => ({ stage, fullName, total })),
    ),
    note: note.userId.fullName,
    reminder: reminder.remindAt,
    reminders: reminders.data.map(({ _id }) => _id === reminder._id),
    workflow: workflow.nodes.map(({ type }) => type),
    missing: { status: missing.response.status, message: missing.error?.message },
  };
}

/** What a client cannot write: each of these lines must be an error of the compiler. */
export async function mistakes(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  // @ts-expect-error There is no such path.
  await client.GET('/api/contact');
  // @ts-expect-error There is no such query parameter.
  await client.GET('/api/reminders', { params: { query: { limt: 10 } } });
  // @ts-expect-error A contact's name is a string.
  await client.POST('/api/contacts/create', { body: { firstName: 1 } });
  // @ts-expect-error A reminder needs to know when.
  await client.POST('/api/reminders', { body: { contactId: 'c', note: 'Call back' } });
  const { data } = await client.GET('/api/contacts/{id}', { params: { path: { id: 'c' } } });
  // @ts-expect-error A contact has no such field.
  data?.data.nickname;
}

/** A frame is told apart by its event, and has the data of it. */
export function heard(frame: Frame): string | undefined {
  if ('event' in frame && frame.event === 'contact_created') {
    return frame.data.contact?.fullName;
  }
  return 'event' in frame && frame.event === 'error' ? frame.data.message : undefined;
}

function answered<Data>({ data, response }: { data?: Data; response: Response }): Data {
  if (data === undefined) {
    throw new Error(`${response.url} answered ${response.status}`);
  }
  return data;
}

console.log(JSON.stringify(await calls(process.argv[2] ?? '')));
