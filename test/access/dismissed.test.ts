import { expect, test } from 'vitest';
import { ofKind, operations } from '../../infra/registry.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import { after, day, second } from '../../shared/kernel/time.ts';
import { onlyReads } from '../../shared/kernel/uses.ts';
import type { Call } from '../harness/call.ts';
import { eventually } from '../harness/eventually.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, newPhoneNumber, outcome } from '../harness/world.ts';
import { newWorkflow } from '../workflows/client.ts';
import { newManualWorkflow } from '../workflows/runs-client.ts';

const table = setUpFaultyTable();
const world = await setUpWorld();
const { product, admin, rep: colleague } = world;

const tenSecondsLater = () => after(new Date(), 10 * second);

const dismiss = ({ userId: id }: Person) =>
  arrange(product.call('update-user', { token: admin.token, path: { id }, body: { disabled: true } }));

const owned = async ({ token }: Person) => {
  const body = { firstName: 'Ada', phoneNumbers: [{ value: newPhoneNumber() }] };
  return (await arrange(product.call('create-contact', { token, body }))).data;
};

const template = { name: 'Welcome', template: 'Hi {{firstName}}', type: 'sms' };

/** What members do with what is theirs, each as the operation, its request, and a look at what must stay as it is. */
const acts: readonly (readonly [
  string,
  string,
  (member: Person) => Promise<[request: Call, look: Call & { name: string }]>,
])[] = [
  [
    'sends no text',
    'send-message',
    async (member) => {
      const { _id: contactId } = await owned(member);
      return [
        { body: { contactId, content: 'Hello' } },
        { name: 'list-conversations', query: { contactId } },
      ];
    },
  ],
  [
    'schedules no text',
    'send-message',
    async (member) => {
      const { _id: contactId } = await owned(member);
      const sendAt = after(new Date(), day).toISOString();
      return [
        { body: { contactId, content: 'Hello', sendAt } },
        { name: 'list-conversations', query: { contactId } },
      ];
    },
  ],
  [
    'starts no workflow',
    'run-workflow',
    async (member) => {
      const { _id: id } = await newManualWorkflow({ ...world, rep: member });
      const { _id: contactId } = await owned(member);
      return [
        { path: { id }, body: { contactId } },
        { name: 'list-workflow-runs', path: { id } },
      ];
    },
  ],
  [
    'enables no workflow',
    'toggle-workflow',
    async (member) => {
      const { _id: id } = await newWorkflow({ ...world, rep: member });
      return [
        { path: { id }, body: { enabled: true } },
        { name: 'read-workflow', path: { id } },
      ];
    },
  ],
  [
    'creates no workflow',
    'create-workflow',
    async () => [{ body: { name: 'Parting gift' } }, { name: 'list-workflows' }],
  ],
  [
    'gives no contact away',
    'update-contact',
    async (member) => {
      const { _id: id } = await owned(member);
      return [
        { path: { id }, body: { owner: colleague.userId } },
        { name: 'read-contact', path: { id } },
      ];
    },
  ],
  [
    'edits no contact',
    'update-contact',
    async (member) => {
      const { _id: id } = await owned(member);
      return [
        { path: { id }, body: { firstName: 'Eve' } },
        { name: 'read-contact', path: { id } },
      ];
    },
  ],
  [
    'shares no template',
    'create-template',
    async () => [{ body: { ...template, isShared: true } }, { name: 'list-templates' }],
  ],
  [
    'edits no template that others use',
    'update-template',
    async ({ token }) => {
      const body = { ...template, isShared: true };
      const { _id: id } = (await arrange(product.call('create-template', { token, body }))).data;
      return [{ path: { id }, body: { template: 'Pay here' } }, { name: 'list-templates' }];
    },
  ],
  [
    'gets no form to upload with',
    'create-uploads',
    async () => [
      { body: { files: [{ name: 'offer.pdf', type: 'application/pdf', size: 1_000 }] } },
      { name: 'list-templates' },
    ],
  ],
];

test.each(acts)(
  'Who was dismissed %s any more, 10 seconds later at most, and what was there can still be read until the token expires',
  async (_, name, of) => {
    const member = await product.newColleague(admin);
    const { token } = member;
    const [request, { name: read, ...look }] = await of(member);
    const before = await arrange(product.call(read, { ...look, token }));
    await dismiss(member);
    const refused = await product.call(name, { ...request, token, at: tenSecondsLater() });
    expect(outcome(refused)).toEqual({ status: 401, body: refusals.invalid });
    expect(outcome(await product.call(read, { ...look, token, at: tenSecondsLater() }))).toEqual({
      status: 200,
      body: before,
    });
  },
);

test('Whose role was lowered goes on working with the lower one, and no longer reaches what it does not', async () => {
  const departmentIds = [
    await arrange(product.call('create-department', { token: admin.token, body: { name: 'East' } })),
  ].map(({ data }) => data._id);
  const former = await product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds });
  const member = await product.newColleague(admin, 'SALES_REP', { departmentIds });
  const [own, other] = [await owned(former), await owned(member)];
  const rename = ({ _id: id }: { _id: string }, at?: Date) =>
    product.call('update-contact', { token: former.token, path: { id }, body: { lastName: String(at) }, at });
  expect((await rename(other)).status).toBe(200);
  const body = { accessRole: 'SALES_REP' };
  await arrange(product.call('update-user', { token: admin.token, path: { id: former.userId }, body }));
  expect((await rename(own, tenSecondsLater())).status).toBe(200);
  expect((await rename(other, tenSecondsLater())).status).toBe(404);
});

test('An operation reads while the stored user is looked at, and writes nothing before that is known', async () => {
  const member = await product.newColleague(admin);
  const { token } = member;
  const { _id: id } = (await arrange(product.call('create-template', { token, body: template }))).data;
  const held = Promise.withResolvers<void>();
  table.clear();
  table.next('GetItemCommand', async (next) => {
    await held.promise;
    return next();
  });
  const at = tenSecondsLater();
  const edited = product.call('update-template', { token, path: { id }, body: { name: 'Farewell' }, at });
  await eventually(() => table.tries('BatchGetItemCommand').length > 0);
  expect(table.tries('GetItemCommand')).toHaveLength(1);
  await dismiss(member);
  held.resolve();
  expect((await edited).status).toBe(401);
  const templates = await arrange(product.call('list-templates', { token }));
  expect(templates).toContainEqual(expect.objectContaining({ _id: id, name: 'Welcome' }));
});

test('Of the requests whose method is not GET, boards, previews and simulations only read', async () => {
  const guarded = ofKind(await operations(), 'http').filter(
    ({ operation }) => operation.minimumRole !== 'anyone' && !operation.route.startsWith('GET '),
  );
  const reading = guarded.filter(({ operation }) => onlyReads(operation)).map(({ name }) => name);
  expect(reading.sort()).toEqual(['list-contacts-by-stage', 'preview-missed-call', 'simulate-workflow']);
});
