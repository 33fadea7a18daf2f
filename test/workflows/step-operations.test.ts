import { expect, test } from 'vitest';
import {
  idOfAdded,
  operationTable,
  type Writing,
} from '../../functions/workflows/model/runs/operation-table.ts';
import { RunConflict } from '../../functions/workflows/model/runs/run-conflict.ts';
import { eventKeyFor, type StoredEvent } from '../../shared/events/outbox.ts';
import type { StepRequest } from '../../shared/events/step-operations.ts';
import type { Caller } from '../../shared/kernel/caller.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import type { Key } from '../../shared/table/key.ts';
import { type Action, type TableWriter, transactionLimit } from '../../shared/table/table.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep } = tenants;
const { table } = product.tableOf(admin.organizationId);
const causedBy = { runId: 'run-1', workflowId: 'workflow-1', chain: ['workflow-1'] };

const callerOf = ({ userId, role, organizationId }: Person): Caller => ({
  ...{ userId, role, organizationId, homeOrganizationId: organizationId },
});

/** Performs an operation as this person; `gate` are the step's own writes. */
async function perform(
  name: string,
  request: StepRequest,
  person: Person,
  gate: (writing: Writing) => readonly Action[] = () => [],
  on: TableWriter = table,
) {
  const { clock, ports } = newInvocation(systemRuntime, product.providers);
  const { stepOperations } = ports({ stepOperations: 'run' }) as Ports<{ stepOperations: 'run' }>;
  const gated = operationTable(on, { causedBy, actions: gate });
  const caller = callerOf(person);
  return { gated, output: await stepOperations.run(name, request, { ...clock, caller, table: gated }) };
}

const stepRecords = (name: string): Key<{ readonly noteId: string | undefined }> => ({
  partition: ['TEST_RECEIPTS'],
  sort: ['RECEIPT', name],
});

async function notesOf(contactId: string) {
  return (await product.call('list-notes', { token: rep.token, query: { contactId } })).body.data;
}

test('A note of a step and the step record that names it are written in one transaction', async () => {
  const { _id: contactId } = await tenants.newContact();
  const { output, gated } = await perform(
    'create-note',
    { body: { contactId, note: 'Called back' } },
    rep,
    (writing) => [table.add(stepRecords('one'), { noteId: idOfAdded(writing, 'NOTE') })],
  );
  const [note] = await notesOf(contactId);
  expect(note).toMatchObject({ note: 'Called back', userId: { _id: rep.userId } });
  expect(output).toMatchObject({ success: true, data: { _id: note._id } });
  expect((await table.read(stepRecords('one')))?.data).toEqual({ noteId: note._id });
  expect(gated.hasCommitted()).toBe(true);
});

test('Nothing of the operation is written when somebody else has moved the run', async () => {
  const { _id: contactId } = await tenants.newContact();
  await table.commit([table.add(stepRecords('moved'), { noteId: undefined })]);
  const read = await table.read(stepRecords('moved'));
  if (read === undefined) {
    throw new Error('The step record is missing');
  }
  await table.commit([table.replace(read, { noteId: 'another' })]);
  let tries = 0;
  const performing = perform('create-note', { body: { contactId, note: 'Called back' } }, rep, () => {
    tries += 1;
    return [table.replace(read, { noteId: 'mine' })];
  });
  await expect(performing).rejects.toBeInstanceOf(RunConflict);
  expect(tries).toBe(1);
  expect(await notesOf(contactId)).toEqual([]);
});

test('Each event of a step says which run caused it, and the step learns of it', async () => {
  const contact = await tenants.newContact();
  const seen: StoredEvent[] = [];
  await perform(
    'update-contact',
    { path: { id: contact._id }, body: { firstName: 'Augusta' } },
    rep,
    ({ events }) => {
      seen.push(...events);
      return [];
    },
  );
  expect(seen).toMatchObject([{ event: 'contact_updated', data: { contactId: contact._id }, causedBy }]);
  const [event] = seen;
  const stored = await table.read(eventKeyFor(event?.id ?? ''));
  expect(stored?.data).toEqual(event);
});

test('A change that changes nothing commits nothing, and the step knows', async () => {
  const contact = await tenants.newContact({ firstName: 'Ada' });
  const request = { path: { id: contact._id }, body: { firstName: 'Ada' } };
  const { output, gated } = await perform('update-contact', request, rep);
  expect(output).toMatchObject({ message: 'No changes' });
  expect(gated.hasCommitted()).toBe(false);
});

test('A step is refused what its caller could not do by hand, in the same words', async () => {
  const { _id: contactId } = await tenants.newContact();
  const bodies = [
    { contactId, note: '' },
    { contactId: 'nobody', note: 'Called back' },
    { contactId, note: 'x'.repeat(300_000) },
    { contactId, note: 7 },
  ];
  for (const person of [rep, otherRep]) {
    for (const body of bodies) {
      const response = await product.call('create-note', { token: person.token, body });
      const refusal = await perform('create-note', { body }, person).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ status: response.status, message: response.body.message });
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
  }
});

test('An operation that is not declared for steps cannot be performed in one', async () => {
  const performing = perform('delete-note', { path: { id: 'anybody' } }, admin);
  await expect(performing).rejects.toThrow('No operation "delete-note" is declared asStep');
});

test('An operation that commits a second time, or writes outside its transaction, is stopped', async () => {
  const gated = operationTable(table, { causedBy, actions: () => [] });
  await gated.commit([gated.put(stepRecords('first'), { noteId: undefined })]);
  await expect(gated.commit([gated.put(stepRecords('second'), { noteId: undefined })])).rejects.toThrow(
    'committed a second time',
  );
  await expect(
    gated.update(stepRecords('first'), { update: 'SET n = :n', values: { n: 1 } }),
  ).rejects.toThrow('outside its transaction');
  await expect(gated.deleteMany([stepRecords('first')])).rejects.toThrow('outside its transaction');
  expect(await table.read(stepRecords('second'))).toBeUndefined();
  expect(await table.read(stepRecords('first'))).toBeDefined();
});

test('A step that is too large for one transaction is refused before anything is written', async () => {
  const gated = operationTable(table, {
    causedBy,
    actions: () =>
      Array.from({ length: 9 }, (_, index) => table.put(stepRecords(`gate-${index}`), { noteId: '' })),
  });
  const actions = Array.from({ length: transactionLimit - 8 }, (_, index) =>
    gated.put(stepRecords(`own-${index}`), { noteId: '' }),
  );
  await expect(gated.commit(actions)).rejects.toMatchObject({ status: 400 });
  expect(await table.read(stepRecords('own-0'))).toBeUndefined();
  await gated.commit(actions.slice(1));
  expect(await table.read(stepRecords(`own-${transactionLimit - 9}`))).toBeDefined();
  expect(await table.read(stepRecords('gate-8'))).toBeDefined();
});
