import { expect, test } from 'vitest';
import { statedConsent } from '../../shared/contacts/consent.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { toDigest } from '../../shared/table/digest.ts';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { randomness } from '../harness/randomness.ts';
import { arrange, everyPage, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { jobsClient } from '../jobs/jobs-client.ts';
import { contactsClient } from './client.ts';
import {
  type ModelContact,
  type ModelMerge,
  type ModelUser,
  mayModelSee,
  mergeInModel,
  Turns,
  undoInModel,
} from './contact-model.ts';
import { rawContacts } from './raw-table.ts';

/** `OPERATIONS=5000` for a long run. */
const operations = Number(process.env.OPERATIONS ?? 600);

const product = await setUpProduct();
const random = randomness(27);
const turns = new Turns();
const jobs = jobsClient(product);
const admin = await product.newOrganization();
const users = await newUsers();
const all: ModelContact[] = [];
const merges: ModelMerge[] = [];
const freed: string[] = [];
const told = new Map<string, number>();
const stages = ['New', 'Contacted', 'Won'];

/** Two ADMINs, and two departments with a head and six members each. */
async function newUsers(): Promise<readonly ModelUser[]> {
  const department = async (name: string) =>
    (await arrange(product.call('create-department', { token: admin.token, body: { name } }))).data._id;
  const [north, south] = [await department('North'), await department('South')];
  const members = (id: string) =>
    Array.from({ length: 6 }, () => ({ role: 'SALES_REP', departmentIds: [id] }) as const);
  const of = async (id: string): Promise<ModelUser[]> => {
    const [head, ...reps] = (await product.newColleagues(admin, [
      { role: 'DEPARTMENT_HEAD', departmentIds: [id] },
      ...members(id),
    ])) as readonly Person[] as ModelUser[];
    const ids = [head, ...reps].flatMap((person) => person?.userId ?? []);
    return [
      ...(head === undefined ? [] : [{ ...head, scope: ids }]),
      ...reps.map((rep) => ({ ...rep, scope: [rep.userId] })),
    ];
  };
  const [second] = await product.newColleagues(admin, [{ role: 'ADMIN' }]);
  const admins = [admin, second].map((person) => ({ ...person, scope: 'organization' as const }));
  return [...admins, ...(await of(north)), ...(await of(south))];
}

const here = () => all.filter(({ gone }) => gone === undefined);
const call = (user: ModelUser, name: string, id: string, body?: object) =>
  product.call(name, { token: user.token, path: { id }, ...(body && { body }) });
const tell = (event: string) => told.set(event, (told.get(event) ?? 0) + 1);

async function create(user: ModelUser): Promise<void> {
  const numbers = Array.from({ length: random.below(3) }, () =>
    random.chance(0.5) ? (freed.pop() ?? newPhoneNumber()) : newPhoneNumber(),
  );
  const body = { firstName: `Contact ${all.length}`, phoneNumbers: numbers.map((value) => ({ value })) };
  const { _id: id } = await contactsClient(product, user).created(body);
  tell('contact_created');
  const { data } = await arrange(call(user, 'read-contact', id));
  const optedOut = data.consent.sms === 'out' ? numbers : [];
  all.push({
    ...{ id, createdBy: user.userId, owner: user.userId, stage: 'New', numbers, optedOut },
    ...{ assignees: [], tags: [], notes: [], isArchived: false },
  });
}

/** What a user does to a contact that they may see; each changes the model as the contact changes. */
const acts: Readonly<Record<string, (user: ModelUser, contact: ModelContact) => Promise<void>>> = {
  async tag(user, contact) {
    const tag = `tag-${random.below(4)}`;
    await arrange(call(user, 'update-contact', contact.id, { addTags: [tag] }));
    if (!contact.tags.includes(tag)) {
      contact.tags.push(tag);
      tell('contact_updated');
    }
  },
  async giveAway(user, contact) {
    const owner = random.chance(0.2) ? null : random.pick(users).userId;
    await arrange(call(user, 'update-contact', contact.id, { owner }));
    if (owner !== contact.owner) {
      contact.owner = owner;
      tell('contact_updated');
    }
  },
  async assign(user, contact) {
    const assignees = Array.from({ length: random.below(3) }, () => random.pick(users).userId);
    const different = [...new Set(assignees)];
    await arrange(call(user, 'update-contact', contact.id, { assignees }));
    if (different.join() !== contact.assignees.join()) {
      contact.assignees = different;
      tell('contact_updated');
    }
  },
  async move(user, contact) {
    const stage = random.pick(stages);
    await arrange(call(user, 'move-contact', contact.id, { stage }));
    if (stage !== contact.stage) {
      contact.stage = stage;
      tell('contact_stage_changed');
    }
  },
  async archive(user, contact) {
    await arrange(call(user, 'archive-contact', contact.id));
    if (!contact.isArchived) {
      contact.isArchived = true;
      tell('contact_archived');
    }
  },
  async restore(user, contact) {
    await arrange(call(user, 'restore-contact', contact.id));
    if (contact.isArchived) {
      contact.isArchived = false;
      tell('contact_restored');
    }
  },
  async note(user, contact) {
    const note = `Note ${random.next()}`;
    await arrange(product.call('create-note', { token: user.token, body: { contactId: contact.id, note } }));
    contact.notes.push(note);
    tell('note_created');
  },
  async optOut(user, contact) {
    if (contact.numbers.length === 0) {
      return;
    }
    const isChange = contact.optedOut.length < contact.numbers.length;
    await arrange(call(user, 'update-consent', contact.id, { sms: 'out' }));
    contact.optedOut = [...contact.numbers];
    if (isChange) {
      tell('contact_updated');
    }
  },
  async remove(user, contact) {
    if (!random.chance(0.4)) {
      return;
    }
    await arrange(call(user, 'delete-contact', contact.id));
    contact.gone = 'deleted';
    freed.push(...contact.numbers.filter((number) => !contact.optedOut.includes(number)));
    tell('contact_removed');
  },
};

async function act(user: ModelUser): Promise<void> {
  const contact = random.pick(here());
  await turns.taking([contact.id], async () => {
    if (contact.gone !== undefined) {
      return;
    }
    if (!mayModelSee(user, contact)) {
      expectStatus(await call(user, 'update-contact', contact.id, { firstName: 'Seen' }), 404);
      return;
    }
    await acts[random.pick(Object.keys(acts))]?.(user, contact);
  });
}

async function merge(user: ModelUser): Promise<void> {
  const [into, from] = [random.pick(here()), random.pick(here())];
  if (into === from) {
    return;
  }
  await turns.taking([into.id, from.id], async () => {
    if (into.gone !== undefined || from.gone !== undefined || into.isArchived || from.isArchived) {
      return;
    }
    const answer = await call(user, 'merge-contact', into.id, { from: from.id });
    if (!(mayModelSee(user, into) && mayModelSee(user, from))) {
      expect(answer.status).toBe(404);
      return;
    }
    const { changeId } = expectStatus(answer, 200);
    const [was, gone] = structuredClone([into, from] as const);
    mergeInModel(into, from);
    merges.push({ ...{ changeId, into, from, was, gone }, after: structuredClone(into) });
    tell('contact_merged');
  });
}

async function undo(user: ModelUser): Promise<void> {
  const merge = merges.splice(random.below(merges.length), 1).at(0);
  if (merge === undefined) {
    return;
  }
  const { into, from, gone, changeId } = merge;
  await turns.taking([into.id, from.id], async () => {
    if (into.gone !== undefined) {
      return;
    }
    const answer = await call(user, 'undo-contact-change', changeId);
    if (!(mayModelSee(user, into) && mayModelSee(user, gone))) {
      expect(answer.status).toBe(404);
      return;
    }
    expectStatus(answer, 200);
    undoInModel(merge);
    tell('contact_updated');
    tell('contact_restored');
  });
}

async function changeMany(user: ModelUser): Promise<void> {
  const contacts = Array.from({ length: 1 + random.below(5) }, () => random.pick(here()));
  const different = [...new Set(contacts)];
  const ids = different.map(({ id }) => id);
  await turns.taking(ids, async () => {
    const queued = await jobs.change(user, { ids, change: { addTags: ['bulk'] } });
    const job = await jobs.end(user, queued);
    const changing = different.filter(
      (contact) => contact.gone === undefined && mayModelSee(user, contact) && !contact.tags.includes('bulk'),
    );
    expect(job.counts.updated).toBe(changing.length);
    for (const contact of changing) {
      contact.tags.push('bulk');
      tell('contact_updated');
    }
  });
}

test('Whatever sixteen people do to contacts at the same time, contacts, totals, numbers, consents, visibility and events are as a model says', async () => {
  for (const user of users) {
    await create(user);
  }
  let left = operations;
  await Promise.all(
    users.map(async (user) => {
      while (left > 0) {
        left -= 1;
        const dice = random.next();
        if (dice < 0.15 || here().length < 10) {
          await create(user);
        } else if (dice < 0.25) {
          await merge(user);
        } else if (dice < 0.31) {
          await undo(user);
        } else if (dice < 0.33) {
          await changeMany(user);
        } else {
          await act(user);
        }
      }
    }),
  );

  const shown = here().filter(({ isArchived }) => !isArchived);
  const board = await contactsClient(product, admin).board({ ownerFilter: 'all', stages });
  const totals = Object.entries(board).map(([stage, { total }]) => [stage, total]);
  expect(totals).toEqual(
    stages.map((stage) => [stage, shown.filter((contact) => contact.stage === stage).length]),
  );
  for (const user of users) {
    const seen = await contactsClient(product, user).everything({ ownerFilter: 'all' });
    const expected = shown.filter((contact) => mayModelSee(user, contact));
    expect(seen.map(({ _id }) => _id).sort()).toEqual(expected.map(({ id }) => id).sort());
  }
  for (const contact of all) {
    await expectAsModelled(contact);
  }
  const { locks, negative } = await rawContacts(product, admin.organizationId);
  const held = here().flatMap(({ id, numbers }) => numbers.map((number) => [toDigest(number), id] as const));
  expect([...locks].sort()).toEqual(held.sort());
  expect(negative).toEqual([]);
  const events = (await readEvents(product, admin.organizationId)).map(({ event }) => event);
  for (const [name, count] of told) {
    expect([name, events.filter((event) => event === name).length]).toEqual([name, count]);
  }
}, 600_000);

async function expectAsModelled(contact: ModelContact): Promise<void> {
  const { id, gone, stage, owner, assignees, tags, isArchived } = contact;
  const { status, body } = await product.call('read-contact', { token: admin.token, path: { id } });
  if (gone !== undefined) {
    expect([id, status]).toEqual([id, 404]);
    return;
  }
  expect({ id, ...body.data, tags: [...body.data.tags].sort() }).toMatchObject({
    ...{ id, stage, owner, tags: [...tags].sort() },
    assignees: expect.arrayContaining(assignees),
  });
  expect(body.data.assignees).toHaveLength(assignees.length);
  expect('archivedAt' in body.data).toBe(isArchived);
  expect(body.data.phoneNumbers.map(({ value }: { value: string }) => value).sort()).toEqual(
    [...contact.numbers].sort(),
  );
  const notes = await everyPage<{ note: string }>(
    (query) => product.call('list-notes', { token: admin.token, query }),
    { contactId: id },
  );
  expect(notes.map(({ note }) => note).sort()).toEqual([...contact.notes].sort());
  const stored = await product.tableOf(admin.organizationId).table.read(contactKey(id));
  const out = contact.numbers.filter((number) => stored && statedConsent(stored.data, number)?.sms === 'out');
  expect(out.sort()).toEqual([...contact.optedOut].sort());
}
