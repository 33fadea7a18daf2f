import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { activePipeline, pipelinesKey } from '../../../shared/pipelines/pipeline.ts';
import { demoOrganization, foundedSteps } from './accounts.ts';
import { aiModelSteps } from './ai-models.ts';
import { applicationsOf } from './applications.ts';
import { writeAggregates, writeSteps } from './bulk-writer.ts';
import { called, callSteps } from './calls.ts';
import type { LoadedTable } from './connection.ts';
import { correspondence, messageSteps } from './correspondence.ts';
import { demoContacts } from './demo-contacts.ts';
import { exampleHistories, exampleSteps, type History } from './example-records.ts';
import { listingSteps } from './listings.ts';
import { noteSteps } from './notes.ts';
import { organizationSteps } from './organization.ts';
import { outreachSteps } from './outreach.ts';
import { pipelineSteps } from './pipelines.ts';
import { fixedIds, randomness } from './randomness.ts';
import { reminderSteps } from './reminders.ts';
import { templateSteps } from './templates.ts';
import { trainingSteps } from './training.ts';
import { workflowSteps } from './workflows.ts';

/** How long the demo organization has been there: longer than its oldest contact. */
const history = 120 * day;

/** An organization with people in departments, and contacts in every stage with notes and conversations. */
export async function writeDemo(
  loaded: LoadedTable,
  newHash: () => Promise<string>,
  now: Date,
): Promise<void> {
  const random = randomness(2);
  const foundedAt = after(now, -history);
  const founded = demoOrganization(foundedAt);
  const { organization, users } = founded;
  const table = loaded.organization(organization._id);
  const tables = { table, platform: loaded.platform };
  await writeSteps(table, await foundedSteps(loaded, founded, newHash, fixedIds(2), foundedAt));

  const pipelines = await table.read(pipelinesKey());
  const pipeline = activePipeline(pipelines?.data.pipelines ?? [], 'Contact');
  const applicationPipeline = activePipeline(pipelines?.data.pipelines ?? [], 'Application');
  const stages = pipeline?.stages.map(({ _id }) => ({ pipelineId: pipeline._id, stageId: _id })) ?? [];
  const contacts = demoContacts(organization._id, stages, users, now);
  const usersById = new Map(users.map((user) => [user._id, user]));
  const appliedFor = randomness(3);
  const kept = randomness(7);
  const historyOf = (contact: StoredContact): History => {
    const exchanged = correspondence(contact, usersById, random);
    return {
      contact,
      exchanged,
      called: called(contact, exchanged, usersById, now, random),
      applications: applicationsOf(contact, applicationPipeline, now, appliedFor),
    };
  };
  const examples = exampleHistories(contacts, { users: usersById, stages, applicationPipeline, now, random });
  const arranged = new Set(examples.map(({ contact }) => contact._id));
  const others = contacts.filter(({ _id }) => !arranged.has(_id));
  const people = [...others.map(historyOf), ...examples];
  await writeAggregates(
    table,
    people.map(({ contact, exchanged, called: { conversations }, applications }) => ({
      contact,
      conversations: [...exchanged.map(({ conversation }) => conversation), ...conversations],
      applications,
    })),
  );
  await writeSteps(table, [
    ...people.flatMap(({ exchanged, called: { calls } }) => [
      ...messageSteps(table, exchanged),
      ...callSteps(table, calls),
      ...exchanged.flatMap((one) => trainingSteps(table, one, users, now, kept)),
    ]),
    ...others.flatMap((contact) => reminderSteps(tables, contact, now, random)),
    ...exampleSteps(tables, examples, now),
    ...pipelineSteps(table, organization._id, pipelines?.data.pipelines ?? [], foundedAt),
    ...noteSteps(table, others, usersById, now, random),
    ...templateSteps(table, founded, random, foundedAt),
    ...listingSteps(table, founded, random, foundedAt),
    ...aiModelSteps(loaded.platform, foundedAt),
    ...organizationSteps(loaded, founded, now),
    ...outreachSteps(loaded, founded, people, now, randomness(4)),
    ...workflowSteps(table, founded, random, foundedAt),
  ]);
}
