import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { assigned, organizationsClient, setDisabled } from '../organizations/client.ts';
import { checksIn, edge, node, trigger } from './checking.ts';
import { newWorkflow, workflowsClient } from './client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, superadmin } = tenants;
const workflows = workflowsClient(product, rep);
const { check, problemsOf, toldOf } = checksIn(tenants);

const templateOf = async ({ token }: Person, name: string) => {
  const body = { name, template: 'Hi', type: 'sms', category: 'x' };
  return expectStatus(await product.call('create-template', { token, body }), 201).data._id;
};

test('A number that is not an active one of the owner of the workflow is an error, in whatever notation', async () => {
  const organization = organizationsClient(product, admin, admin.organizationId);
  const [own, others] = [await assigned(organization, rep), await assigned(organization, admin)];
  const send = (id: string, from: string) => node(id, 'sendMessage', { content: 'Hi', from });
  const nodes = [
    trigger,
    send('own', own.phoneNumber),
    send('spaced', ` ${own.phoneNumber.replace('+', '00')}`),
    send('event', '{{event.source}}'),
    send('others', others.phoneNumber),
    send('word', 'Switchboard'),
  ];
  const edges = nodes.slice(1).map(({ id }, index) => edge(nodes[index]?.id ?? '', id));
  expect(await problemsOf({ nodes, edges })).toEqual([
    `others error: from: "${others.phoneNumber}" is not one of the active phone numbers of the owner of this workflow.`,
    'word error: from: "Switchboard" is not one of the active phone numbers of the owner of this workflow.',
  ]);
});

test('An owner without a number to send from is reported once, unless the organization may send without one', async () => {
  const owner = await product.newColleague(admin, 'SALES_REP');
  const texts = workflowsClient(product, owner);
  const send = (id: string, data: object = {}) => node(id, 'sendMessage', { content: 'Hi', ...data });
  const chain = (nodes: readonly ReturnType<typeof node>[]) => ({
    nodes: [node('start', 'trigger', { event: 'message.received' }), ...nodes],
    edges: nodes.map(({ id }, index) => edge(index === 0 ? 'start' : (nodes[index - 1]?.id ?? ''), id)),
  });
  const { _id } = await texts.created(chain([send('a'), send('b'), send('c', { from: '{{event.to}}' })]));
  const chosen = await texts.created(chain([send('a', { from: '{{event.to}}' })]));
  const lacking =
    'null warning: The owner of this workflow has no active default phone number. Steps that send a text from it fail, unless the contact has written to a number of the organization.';
  expect(await toldOf(_id, owner)).toEqual([]);

  const above = organizationsClient(product, superadmin, admin.organizationId);
  await arrange(above('update-text-settings', { standardSender: false }));
  for (const caller of [owner, admin]) {
    expect([await toldOf(_id, caller), await toldOf(chosen._id, caller)]).toEqual([[lacking], []]);
  }
  expect((await check(_id, owner)).body.data.runnable).toBe(true);
  expect((await texts.toggle(_id)).body.message).toBe('Workflow enabled, with 1 problem');
  await assigned(above, owner, { isDefault: false });
  expect(await toldOf(_id, owner)).toEqual([lacking]);
  await assigned(above, owner, { isDefault: true });
  expect(await toldOf(_id, owner)).toEqual([]);
  await arrange(above('update-text-settings', { standardSender: null }));
});

test('Records that the graph names are looked up as the owner, as whom its runs act', async () => {
  const [adminsTemplate, ownTemplate] = [await templateOf(admin, 'Mine'), await templateOf(rep, 'Of rep')];
  const foreign = await newWorkflow({ ...tenants, rep: admin });
  const leaver = await product.newColleague(admin);
  await setDisabled(product, admin, leaver, true);
  const nodes = [
    trigger,
    node('text', 'sendMessage', { template: adminsTemplate }),
    node('own', 'sendMessage', { template: ownTemplate }),
    node('user', 'assign', { roundRobin: [rep.userId, 'nobody', leaver.userId] }),
    node('stage', 'moveStage', { stage: 'Won' }),
    node('flow', 'startWorkflow', { workflowId: foreign._id }),
    node('other', 'moveStage', { stage: 'Nirvana' }),
  ];
  const edges = nodes.slice(1).map(({ id }, index) => edge(nodes[index]?.id ?? '', id));
  const { _id } = await workflows.created({ nodes, edges });
  for (const caller of [rep, admin]) {
    expect(await toldOf(_id, caller)).toEqual([
      `text error: template: There is no template with the id "${adminsTemplate}", or the owner of this workflow may not use it.`,
      'user error: roundRobin[1]: There is no user with the id "nobody".',
      `user warning: roundRobin[2]: The user with the id "${leaver.userId}" is disabled.`,
      `flow error: workflowId: There is no workflow with the id "${foreign._id}", or the owner of this one may not see it.`,
      'other error: stage: There is no stage with the id or the name "Nirvana" that it could be moved to.',
    ]);
  }
});

test('A workflow that a step starts and that cannot start, or sees less, is reported', async () => {
  const byHand = { nodes: [node('start', 'trigger', { event: 'manual.started' })], enabled: true };
  const { _id: department } = expectStatus(
    await product.call('create-department', { token: admin.token, body: { name: 'Checks' } }),
    201,
  ).data;
  const departmentIds = [department];
  const head = await product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds });
  const superior = await product.newColleague(admin, 'ADMIN', { departmentIds });
  const member = await product.newColleague(admin, 'SALES_REP', { departmentIds });
  const by = (person: Person) => workflowsClient(product, person);
  const graph = (ids: readonly string[]) => {
    const steps = ids.map((workflowId, index) => node(`s${index}`, 'startWorkflow', { workflowId }));
    const nodes = [trigger, ...steps];
    return { nodes, edges: steps.map(({ id }, index) => edge(nodes[index]?.id ?? '', id)) };
  };
  const [own, ofMember, ofSuperior] = await Promise.all(
    [head, member, superior].map((person) => by(person).created(byHand)),
  );
  const disabled = await by(head).created({ ...byHand, enabled: false });
  const byEvent = await by(head).created({ nodes: [trigger], enabled: true });
  const seven = Array.from({ length: 7 }, (_, index) =>
    node(`t${index}`, 'trigger', { event: 'manual.started' }),
  );
  const large = await by(head).created({ nodes: seven, enabled: true });
  const ids = [own, ofMember, ofSuperior, disabled, byEvent, large].map((one) => one?._id ?? '');
  const workflow = await by(head).created(graph(ids));
  expect(await toldOf(workflow._id, head)).toEqual([
    's1 warning: workflowId: It acts with the rights of its owner, who may not see all that the owner of this workflow sees. Where that is the contact, the step is skipped.',
    's2 error: workflowId: It acts with the rights of its owner, which are wider than those of the owner of this workflow. The step fails.',
    's3 warning: workflowId: It is disabled. The step fails until it is enabled.',
    's4 error: workflowId: It has no trigger with the event manual.started. The step fails.',
    's5 error: workflowId: It has more than 6 triggers with the event manual.started. The step fails.',
  ]);
  const itself = { ...graph([workflow._id]), settings: {} };
  expectStatus(await by(head).update(workflow._id, itself), 200);
  expect(await toldOf(workflow._id, head)).toEqual([
    's0 warning: workflowId: This is the workflow itself, which starts itself only with the setting reentry always. The step is skipped.',
  ]);
  expectStatus(await by(head).update(workflow._id, { settings: { reentry: 'always' } }), 200);
  expect(await toldOf(workflow._id, head)).toEqual([
    's0 error: workflowId: It has no trigger with the event manual.started. The step fails.',
  ]);
  const byHandToo = [...itself.nodes, node('hand', 'trigger', { event: 'manual.started' })];
  const enabled = await by(head).update(workflow._id, { nodes: byHandToo, enabled: true });
  expect(enabled.body.message).toBe('Workflow updated');
  expect(await toldOf(workflow._id, head)).toEqual([]);
});

test('Any number of templates is looked up', async () => {
  const { newId } = product.tableOf(rep.organizationId).moment;
  const problems = await problemsOf({
    nodes: [
      trigger,
      ...Array.from({ length: 60 }, (_, n) => node(`n${n}`, 'sendMessage', { template: newId() })),
    ],
  });
  expect(problems.filter((text) => text.includes('There is no template'))).toHaveLength(60);
});

test('An owner who is disabled is an error', async () => {
  const owner = await product.newColleague(admin, 'SALES_REP');
  const { _id } = await workflowsClient(product, owner).created({ nodes: [trigger] });
  expect(expectStatus(await check(_id, admin), 200).data.runnable).toBe(true);
  const disabling = { token: admin.token, path: { id: owner.userId }, body: { disabled: true } };
  expectStatus(await product.call('update-user', disabling), 200);
  expect(expectStatus(await check(_id, admin), 200).data).toEqual({
    runnable: false,
    problems: [
      {
        nodeId: null,
        severity: 'error',
        message:
          'The owner of this workflow is not an active user of the organization, so every step that acts as the owner is skipped.',
      },
    ],
  });
});
