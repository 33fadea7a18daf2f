import type { StoredContact } from '../../shared/contacts/contact.ts';
import type { Pipeline, Stage } from '../../shared/contacts/pipeline.ts';
import { departmentKey } from '../../shared/organizations/organization.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { writeContacts } from './bulk-writer.ts';
import { generatedContacts } from './generated-contacts.ts';

/** An organization with many contacts in an active pipeline of eight stages. */
export interface Dataset {
  readonly admin: Person;
  /** The head of the department of `rep`. */
  readonly head: Person;
  readonly rep: Person;
  readonly otherRep: Person;
  readonly pipeline: Pipeline;
  /** Newest first: the order of every column. */
  readonly contacts: readonly StoredContact[];
}

export const stageCount = 8;

/** The body of a request that creates an active pipeline of eight stages. */
export const pipelineOfEight = {
  name: 'Eight stages',
  type: 'Contact',
  stages: Array.from({ length: stageCount }, (_, index) => ({ name: `Stage ${index + 1}` })),
  isActive: true,
};

/** A new organization with `count` contacts, spread over its users. */
export async function newDataset(product: Product, count: number, now: Date): Promise<Dataset> {
  const people = await newPeople(product);
  const { admin, head, rep, otherRep } = people;
  const { organizationId } = admin;
  const pipeline = await eightStages(product, admin);
  const contacts = [
    ...generatedContacts({
      count,
      organizationId,
      stages: pipeline.stages.map(({ _id }) => ({ pipelineId: pipeline._id, stageId: _id })),
      users: [admin, head, rep, otherRep].map(({ userId }) => userId),
      seed: 20_260_101,
      now,
    }),
  ].sort(newestFirst);
  await writeContacts(product.tableOf(organizationId).table, contacts);
  return { ...people, pipeline, contacts };
}

/**
 * The newest contacts of every stage of a dataset, `count` in all, in another organization. The first pages of both are equally long to
 * the byte, so that every difference is due to the number of contacts.
 */
export async function readNewest(product: Product, dataset: Dataset, count: number): Promise<Dataset> {
  const people = await newPeople(product);
  const { admin } = people;
  const { organizationId } = admin;
  const pipeline = await eightStages(product, admin);
  const userIds = new Map(
    (Object.keys(people) as (keyof typeof people)[]).map((who) => [dataset[who].userId, people[who].userId]),
  );
  const userIdFor = (id: string) => userIds.get(id) ?? id;
  const contacts = dataset.pipeline.stages.flatMap(({ _id }, index) => {
    const stage = stageAt(pipeline, index);
    return dataset.contacts
      .filter(({ stageId }) => stageId === _id)
      .slice(0, Math.floor(count / stageCount))
      .map((contact) => ({
        ...contact,
        organizationId,
        pipelineId: pipeline._id,
        stageId: stage._id,
        createdBy: userIdFor(contact.createdBy),
        owner: contact.owner && userIdFor(contact.owner),
        assignees: contact.assignees.map(userIdFor),
        conversationAssignees: contact.conversationAssignees.map(userIdFor),
      }));
  });
  await writeContacts(product.tableOf(organizationId).table, contacts);
  return { ...people, pipeline, contacts: contacts.sort(newestFirst) };
}

export function stageAt({ stages }: Pipeline, index: number): Stage {
  const stage = stages[index];
  if (stage === undefined) {
    throw new Error(`There is no stage ${index} in the pipeline.`);
  }
  return stage;
}

/** The order of every column. */
export function newestFirst(a: StoredContact, b: StoredContact): number {
  const place = ({ createdAt, _id }: StoredContact) => `${createdAt} ${_id}`;
  return place(a) < place(b) ? 1 : -1;
}

async function eightStages(product: Product, admin: Person): Promise<Pipeline> {
  const body = pipelineOfEight;
  return expectStatus(await product.call('create-pipeline', { token: admin.token, body }), 201).data;
}

async function newPeople(product: Product): Promise<Pick<Dataset, 'admin' | 'head' | 'rep' | 'otherRep'>> {
  const admin = await product.newOrganization();
  const { organizationId } = admin;
  const { moment, table } = product.tableOf(organizationId);
  const _id = moment.newId();
  const at = moment.now.toISOString();
  const department = { _id, organizationId, name: 'Sales', createdAt: at, updatedAt: at };
  await table.commit([table.add(departmentKey(_id), department)]);
  return {
    admin,
    head: await product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds: [_id] }),
    rep: await product.newColleague(admin, 'SALES_REP', { departmentIds: [_id] }),
    otherRep: await product.newColleague(admin, 'SALES_REP'),
  };
}
