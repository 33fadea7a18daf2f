import { activePipeline } from '../../../shared/pipelines/pipeline.ts';
import { keys } from '../../../shared/table/keys.ts';
import { after, day } from '../../../shared/time.ts';
import { demoOrganization, foundedSteps } from './accounts.ts';
import { writeContacts, writeSteps } from './bulk-writer.ts';
import type { LoadedTable } from './connection.ts';
import { correspondenceSteps } from './correspondence.ts';
import { demoContacts } from './demo-contacts.ts';
import { noteSteps } from './notes.ts';
import { randomness } from './randomness.ts';

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
  const stages = pipeline?.stages.map(({ _id }) => ({ pipelineId: pipeline._id, stageId: _id })) ?? [];
  const contacts = demoContacts(organization._id, stages, users, now);
  await writeContacts(table, contacts);

  const usersById = new Map(users.map((user) => [user._id, user]));
  await writeSteps(
    table,
    contacts.flatMap((contact) => [
      ...correspondenceSteps(table, contact, usersById, random),
      ...noteSteps(table, contact, usersById, now, random),
    ]),
  );
}
