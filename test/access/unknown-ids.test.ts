import { expect, test } from 'vitest';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import type { Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { caseSender, type OperationCase, operationsWithCases } from './operations.ts';
import { fieldMatch, schemaFields } from './schema-walk.ts';

/**
 * Decisions 1, "Identifiers": wherever an id is expected (path, query or body), a text that the service could not have minted reads
 * as an id that nobody has: "not found", not 400.
 */

const tenants = await setUpTenants();
const { product, rep, foreignAdmin } = tenants;

const nobodys = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
const impossible = ['', ' ', 'a b', '../admin', 'ORG#1', 'ä', '\u0000', 'x'.repeat(129)];

/** The ids that an operation takes beside those in its path. */
const asked = (await operationsWithCases()).flatMap((operationCase) =>
  (['query', 'body'] as const).flatMap((part) => {
    const { [part]: schema } = operationCase.operation;
    return (schema === undefined ? [] : schemaFields(schema)).flatMap(({ path, schema: field }) => {
      const kind = fieldMatch(field, Id);
      const mayBeNone = kind === 'list' || field._zod.optin !== undefined;
      return kind === undefined ? [] : [{ operationCase, part, path, kind, mayBeNone }];
    });
  }),
);

/** Fields whose ids are looked up after the response, or need not be anybody's. */
const lookedUpByNobody = [
  // A segment keeps what it names, and says what is gone.
  ...['ownerFilter', 'pipelineId', 'owner', 'assignee'].flatMap((field) => [
    `create-segment filter.${field}`,
    `update-segment filter.${field}`,
    `change-contacts filter.${field}`,
    // An export looks when its job runs.
    `export-contacts filter.${field}`,
  ]),
  'change-contacts ids',
  'change-contacts change.removeAssignees',
  'update-contact removeAssignees',
];

/** Filters that find nothing by an id that nobody has. */
const filters = [
  ...[
    'cancel-runs-of-contact',
    'list-calls',
    'list-contacts-by-stage',
    'list-contacts',
    'list-conversations',
  ],
  ...['list-workflow-runs', 'read-outreach-metrics'],
];

/** A refused request uses nothing up: it can be sent again until one succeeds. */
const unused = new Map<string, Call>();

async function send(
  { name, accessCase }: OperationCase,
  change: (request: Record<string, unknown>) => unknown,
) {
  const request = unused.get(name) ?? (await accessCase.request(tenants, rep));
  const answer = await product.call(name, {
    ...caseSender(tenants, accessCase),
    ...request,
    ...(change({ ...request }) as object),
  });
  if (answer.status < 300) {
    unused.delete(name);
  } else {
    unused.set(name, request);
  }
  return answer;
}

/** The answer without when metrics were computed, and whether for this request. */
function withoutTimes({ status, body }: ReturnType<typeof outcome>) {
  const { cached: _, computedAt: __, ...data } = body.data ?? {};
  return { status, body: { ...body, data } };
}

/** The value with another one at the path, in the first item of each list on the way. */
function withValue(value: unknown, [key, ...rest]: readonly string[], put: unknown): unknown {
  if (key === undefined) {
    return put;
  }
  return key === '[]'
    ? [withValue((value as unknown[] | undefined)?.[0], rest, put)]
    : { ...(value as object), [key]: withValue((value as Record<string, unknown>)?.[key], rest, put) };
}

test('Ids are asked for in queries and bodies of many operations', () => {
  const names = new Set(
    asked.map(({ operationCase, part, path }) => `${operationCase.name} ${part} ${path.join('.')}`),
  );
  for (const one of [
    'create-note body contactId',
    'create-note body mentions',
    'list-notes query contactId',
    'receive-lead body configurationId',
    'register body departmentIds',
    'update-contact body owner',
    'update-pipeline body stages.[]._id',
  ]) {
    expect(names).toContain(one);
  }
});

const named = asked
  .map((one) => ({ ...one, name: one.operationCase.name, field: one.path.join('.') }))
  .filter(({ name, field }) => !lookedUpByNobody.includes(`${name} ${field}`));

/** The answer to a request with this id in a field. */
async function answeredWith({ operationCase, part, path, kind }: (typeof asked)[number], id: string) {
  const response = await send(operationCase, (request) => ({
    [part]: {
      ...(withValue(request[part], path, kind === 'list' ? [id] : id) as object),
      // A message has a text or a template.
      ...(path[0] === 'templateId' ? { content: undefined } : {}),
      // A job has the contacts of a segment, or others.
      ...(path[0] === 'segmentId' ? { ids: undefined, filter: undefined } : {}),
      // A workflow is run for one contact or for several.
      ...(path[0] === 'contactIds' ? { contactId: undefined } : {}),
    },
  }));
  return withoutTimes(outcome(response));
}

test.each(named)(
  '$name takes any text as $field of its $part: one that cannot be an id reads as an id that nobody has, "not found", not 400',
  async (one) => {
    const { name, field } = one;
    const isFilter = filters.includes(name) && field !== 'pipelineId';
    // An empty text of a form says that there is none, where there need not be one: test/access/empty-fields.test.ts.
    const texts = one.mayBeNone ? impossible.filter(Boolean) : impossible;
    const answered = (id: string) => answeredWith(one, id);
    const expected = await answered(nobodys);
    expect(expected.status, JSON.stringify(expected.body)).toBe(isFilter ? 200 : 404);
    for (const text of texts) {
      expect(await answered(text), JSON.stringify(text)).toEqual(expected);
    }
  },
);

/** Ids of what another organization has, by the names of fields that take such. */
async function idsOfAnother(): Promise<Record<string, string>> {
  const make = async (name: string, body: object) =>
    (await arrange(product.call(name, { token: foreignAdmin.token, body }))).data;
  const phoneNumbers = [{ value: newPhoneNumber() }];
  const {
    _id: contactId,
    pipelineId,
    stageId,
  } = await make('create-contact', { firstName: 'Theirs', phoneNumbers });
  const [message, template, workflow, department, configuration] = await Promise.all([
    make('send-message', { contactId, content: 'Theirs' }),
    make('create-template', { name: 'Theirs', template: 'Theirs', type: 'sms', isShared: true }),
    make('create-workflow', { name: 'Theirs' }),
    make('create-department', { name: 'Theirs' }),
    make('create-outreach-configuration', { name: 'Theirs' }),
  ]);
  return {
    ...{ contactId, pipelineId, stageId, _id: stageId, stageIdByName: stageId },
    ...{ contactIds: contactId, workflowIds: workflow._id, departmentIds: department._id },
    ...{ templateId: template._id, conversationId: message.conversationId, upTo: message._id },
    configurationId: configuration._id,
  };
}

const theirs = await idsOfAnother();

/** Anybody may send a lead to any configuration, and a SUPERADMIN may register users in any organization. */
const ofAnyOrganization = ['receive-lead configurationId', 'register organizationId'];

test.each(named.filter(({ name, field }) => !ofAnyOrganization.includes(`${name} ${field}`)))(
  '$name takes an id of another organization as $field of its $part for one that nobody has',
  async (one) => {
    const fieldName = one.path.findLast((part) => part !== '[]' && part !== '*') ?? '';
    // All other fields take users.
    const id = theirs[fieldName] ?? foreignAdmin.userId;
    expect(await answeredWith(one, id)).toEqual(await answeredWith(one, nobodys));
  },
);

/** The operations whose path names a record, or an organization. */
const withPath = (await operationsWithCases()).filter(
  ({ operation, accessCase }) =>
    operation.minimumRole !== 'anyone' &&
    /\{(id|organizationId)\}/.test(operation.route) &&
    accessCase.refused?.superadmin === undefined,
);

test.each(withPath)(
  '$name takes any text in its path for an id that nobody has: 404',
  async (operationCase) => {
    const parameter = operationCase.operation.route.includes('{organizationId}') ? 'organizationId' : 'id';
    const answered = async (id: string) =>
      outcome(await send(operationCase, ({ path }) => ({ path: { ...(path as object), [parameter]: id } })));
    const expected = await answered(nobodys);
    expect(expected.status).toBe(404);
    for (const text of impossible.filter(Boolean)) {
      expect(await answered(text), JSON.stringify(text)).toEqual(expected);
    }
  },
);
