import { activePipeline } from '../../../shared/pipelines/pipeline.ts';
import { keys } from '../../../shared/table/keys.ts';
import { after, day } from '../../../shared/time.ts';
import { demoOrganization, foundedSteps } from './accounts.ts';
import { aiModelSteps } from './ai-models.ts';
import { applicationsOf } from './applications.ts';
import { writeFiled, writeSteps } from './bulk-writer.ts';
import { called, callSteps } from './calls.ts';
import type { LoadedTable } from './connection.ts';
import { correspondence, messageSteps } from './correspondence.ts';
import { demoContacts } from './demo-contacts.ts';
import { listingSteps } from './listings.ts';
import { noteSteps } from './notes.ts';
import { organizationSteps } from './organization.ts';
import { outreachSteps } from './outreach.ts';
import { randomness } from './randomness.ts';
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
  const founded = demoOrganization(random, foundedAt);
  const { organization, users } = founded;
  const table = loaded.organization(organization._id);
  await writeSteps(table, await foundedSteps(loaded, founded, newHash, random, foundedAt));

  const pipelines = await table.read(keys.pipelines());
  const pipeline = activePipeline(pipelines?.data.pipelines ?? [], 'Contact');
  const applicationPipeline = activePipeline(pipelines?.data.pipelines ?? [], 'Application');
  const stages = pipeline?.stages.map(({ _id }) => ({ pipelineId: pipeline._id, stageId: _id })) ?? [];
  const contacts = demoContacts(organization._id, stages, users, now);
  const usersById = new Map(users.map((user) => [user._id, user]));
  const appliedFor = randomness(3);
  const people = contacts.map((contact) => {
    const exchanged = correspondence(contact, usersById, random);
    return {
      contact,
      exchanged,
      called: called(contact, exchanged, usersById, now, random),
      applications: applicationsOf(contact, applicationPipeline, now, appliedFor),
    };
  });
  await writeFiled(
    table,
    people.map(({ contact, exchanged, called: { conversations }, applications }) => ({
      contact,
      conversations: [...exchanged.map(({ conversation }) => conversation), ...conversations],
      applications,
    })),
  );
  await writeSteps(table, [
    ...people.flatMap(({ contact, exchanged, called: { calls } }) => [
      ...messageSteps(table, exchanged),
      ...callSteps(table, calls),
      ...reminderSteps({ table, platform: loaded.platform }, contact, now, random),
      ...exchanged.flatMap((one) => trainingSteps(table, one, users, now, random)),
    ]),
    ...noteSteps(table, contacts, usersById, now, random),
    ...templateSteps(table, founded, random, foundedAt),
    ...listingSteps(table, founded, random, foundedAt),
    ...aiModelSteps(loaded.platform, random, foundedAt),
    ...organizationSteps(loaded, founded, now),
    ...outreachSteps(loaded, founded, people, now, randomness(4)),
    ...workflowSteps(table, founded, random, foundedAt),
  ]);
}
