import { expect, test } from 'vitest';
import { eventFor, knownSubscriber } from '../../functions/live/model/audience.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import type { ApiResponse, Call } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { operationsWithCases } from './operations.ts';

/** A word in the data of a contact, which nobody else may read. */
const word = 'Unmistakable';

const readable = (await operationsWithCases()).filter(
  ({ operation: { minimumRole, route } }) => minimumRole !== 'anyone' && route.startsWith('GET '),
);

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, otherHead, newContact } = tenants;
const phone = newPhoneNumber();
const make = async (name: string, body: Record<string, unknown>): Promise<ApiResponse['body']> =>
  expectStatus(await product.call(name, { token: rep.token, body }), 201);
const { _id: contactId } = await newContact({
  firstName: word,
  email: `${word}@example.com`,
  phoneNumbers: [{ value: phone }],
  customFields: { word },
  tags: [word],
});

const about = { contactId };
const note = await make('create-note', { ...about, note: word, mentions: [rep.userId] });
const { call } = await make('answer-inbound-call', { callerNumber: phone });
const message = await make('send-message', { ...about, content: word });
const { conversationId } = message.data;
const application = await make('create-application', { ...about, name: word });
const reminder = await make('create-reminder', { ...about, note: word, remindAt: '2027-01-01' });
const snapshot = await make('create-training-snapshot', {
  ...about,
  conversationId,
  quality: 'good',
  category: word,
});

const workflow = await make('create-workflow', { name: word, description: word });
const template = await make('create-template', { name: word, template: word, type: 'sms' });
/** Everything that `rep` has with one contact: ids by what they are of. */
const secret: Record<string, string> = {
  contact: contactId,
  note: note.data._id,
  call: call._id,
  voice: call.conversationId,
  message: message.data._id,
  conversation: conversationId,
  application: application.data._id,
  reminder: reminder.data._id,
  snapshot: snapshot.data._id,
  workflow: workflow.data._id,
  template: template.data._id,
};

function expectNothing(response: ApiResponse): void {
  expect(response.status).toBeLessThan(500);
  const text = JSON.stringify(response.body);
  for (const hidden of [word, phone, ...Object.values(secret)]) {
    expect(text).not.toContain(hidden);
  }
}

const outsiders = [
  'otherRep',
  'otherHead',
  'foreignAdmin',
  'foreignHead',
  'foreignRep',
  'superadmin',
] as const;

/** Requests of an operation about each of these ids in its path, or with each of these queries where its path names nothing. */
function requestsFor(
  route: string,
  ids: readonly string[],
  queries: readonly Record<string, string>[],
): Pick<Call, 'path' | 'query'>[] {
  const parameters = [...route.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  return parameters.length === 0
    ? queries.map((query) => ({ query }))
    : ids.map((id) => ({ path: Object.fromEntries(parameters.map((parameter) => [parameter, id])) }));
}

const ids = [...Object.values(secret), rep.userId, admin.organizationId];
const queries = [{}, { contactId }, { userId: rep.userId }, { search: word, assignee: rep.userId }] as Record<
  string,
  string
>[];

for (const { name, operation } of readable) {
  test.each(outsiders)(`${name} shows %s nothing of what is not theirs`, async (who) => {
    for (const request of requestsFor(operation.route, ids, queries)) {
      expectNothing(await product.call(name, { token: tenants[who].token, ...request }));
    }
  });
}

test('The one whose contact it is sees all of it: the test looks where there is something to see', async () => {
  const seen: string[] = [];
  for (const { name, operation } of readable) {
    for (const request of requestsFor(operation.route, ids, queries.slice(0, 2))) {
      const { body } = await product.call(name, { token: rep.token, ...request });
      if (JSON.stringify(body).includes(word)) {
        seen.push(name);
      }
    }
  }
  const shown = [
    'list-conversations',
    'list-messages',
    'list-notes',
    'list-notifications',
    'list-reminders',
    'list-tags',
    'list-templates',
    'list-training-snapshots',
    'list-workflows',
    'read-application',
    'read-application-management',
    'read-contact',
    'read-conversation',
    'read-workflow',
  ];
  // Others may be added.
  expect(seen).toEqual(expect.arrayContaining(shown));
});

const asks: Record<string, () => Record<string, unknown>> = {
  nothing: () => ({}),
  'a search by name': () => ({ search: word }),
  'a search by number': () => ({ search: phone }),
  'the owner': () => ({ owner: [rep.userId] }),
  'the tab of the owner': () => ({ ownerFilter: rep.userId }),
  'all owners': () => ({ ownerFilter: 'all' }),
  'the team': () => ({ ownerFilter: 'team' }),
  'the unassigned': () => ({ ownerFilter: 'unassigned' }),
  'a custom field': () => ({ customFilters: { word } }),
  'the last message': () => ({ messageStatus: 'answered' }),
};

for (const pipelineType of ['Contact', 'Application']) {
  test.each(Object.keys(asks))(
    `The board of type ${pipelineType} asked for %s shows outsiders nothing, in no total either`,
    async (ask) => {
      const body = { pipelineType, size: 100, ...asks[ask]?.() };
      for (const who of outsiders) {
        const response = await product.call('list-contacts-by-stage', { token: tenants[who].token, body });
        expectNothing(response);
        const totals = Object.values(expectStatus(response, 200).data as Record<string, { total: number }>);
        expect(totals.map(({ total }) => total)).toEqual(totals.map(() => 0));
      }
      const own = await product.call('list-contacts-by-stage', { token: rep.token, body });
      if (ask === 'nothing') {
        expect(JSON.stringify(own.body)).toContain(word);
      }
    },
  );
}

test('Sockets of outsiders get nothing', async () => {
  const { table } = product.tableOf(admin.organizationId);
  const [events, users] = [await readEvents(product, admin.organizationId), await readUsers(table)];
  const told = ({ userId }: Person) => {
    const subscriber = knownSubscriber(userId, users);
    return JSON.stringify(events.map((event) => subscriber && eventFor(subscriber, event)));
  };
  expect(told(rep)).toContain(word);
  for (const person of [otherRep, otherHead]) {
    for (const hidden of [word, phone, ...Object.values(secret)]) {
      expect(told(person)).not.toContain(hidden);
    }
  }
});
