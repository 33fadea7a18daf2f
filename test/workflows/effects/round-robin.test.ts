import { expect, test } from 'vitest';
import { setUpTenants } from '../../harness/fixtures.ts';
import { arrange } from '../../harness/tenants.ts';
import { setDisabled } from '../../organizations/client.ts';
import { inARow, prepareRuns } from '../advancing.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const runs = await prepareRuns(tenants);
const people = await Promise.all(Array.from({ length: 4 }, () => product.newColleague(admin)));
const roundRobin = people.map(({ userId }) => userId);
const [first, second, third, fourth] = roundRobin;
const inTurn = () => runs.newWorkflow(inARow([{ type: 'assign', data: { roundRobin } }]));

/** A run of each contact, all at the same time; whom it assigned, in the order of the contacts. */
async function assigned(workflow: Awaited<ReturnType<typeof inTurn>>, contacts: readonly string[]) {
  const ids = await Promise.all(contacts.map((contactId) => runs.start(workflow, contactId)));
  await Promise.all(ids.map((id) => runs.advance(id)));
  await runs.deliverAll();
  const stepRecords = await Promise.all(ids.map((id) => runs.stepRecords(id)));
  expect(stepRecords.map((some) => some.map(({ status }) => status))).toEqual(
    ids.map(() => ['passed', 'passed']),
  );
  return Promise.all(contacts.map(ownerOf));
}

const newContacts = async (count: number): Promise<string[]> =>
  (await Promise.all(Array.from({ length: count }, () => tenants.newContact()))).map(({ _id }) => _id);

async function ownerOf(id: string): Promise<string> {
  const { data } = await arrange(product.call('read-contact', { token: admin.token, path: { id } }));
  return data.owner;
}

const counts = (owners: readonly string[]) =>
  roundRobin.map((id) => owners.filter((owner) => owner === id).length);

test('Fourteen runs at the same time assign each user in turn: none gets two contacts more than another', async () => {
  const workflow = await inTurn();
  const owners = await assigned(workflow, await newContacts(14));
  expect(counts(owners).toSorted()).toEqual([3, 3, 4, 4]);
  const [next] = await assigned(workflow, await newContacts(1));
  expect(next).toBe(third);
});

test('A user who is disabled is passed over, and is in turn again when enabled', async () => {
  const workflow = await inTurn();
  const [one, two, three, four] = await newContacts(4);
  const take = async (contactId = '') => (await assigned(workflow, [contactId]))[0];
  expect(await take(one)).toBe(first);
  await Promise.all(
    [people[1], people[2]].map((person) => person && setDisabled(product, admin, person, true)),
  );
  expect(await take(two)).toBe(fourth);
  await Promise.all(
    [people[1], people[2]].map((person) => person && setDisabled(product, admin, person, false)),
  );
  expect([await take(three), await take(four)]).toEqual([first, second]);
});

test('A turn of a step that is refused is not taken', async () => {
  const workflow = await inTurn();
  const [mine, lost, next] = await newContacts(3);
  expect(await assigned(workflow, [mine ?? ''])).toEqual([first]);
  // The rep, who owns the workflow, created the contact: only another one's contact is out of sight.
  const foreign = await arrange(
    product.call('create-contact', { token: admin.token, body: { firstName: 'Foreign' } }),
  );
  const refused = await runs.start(workflow, foreign.data._id);
  await runs.advance(refused);
  expect(await runs.stepRecords(refused)).toMatchObject([
    {},
    { status: 'failed', reason: 'Contact not found' },
  ]);
  expect(await assigned(workflow, [lost ?? ''])).toEqual([second]);
  // A contact that has the owner already uses the turn: it is as if it were assigned.
  const body = { owner: third };
  await arrange(product.call('update-contact', { token: rep.token, path: { id: next ?? '' }, body }));
  expect(await assigned(workflow, [next ?? ''])).toEqual([third]);
  expect(await assigned(workflow, [mine ?? ''])).toEqual([fourth]);
});
