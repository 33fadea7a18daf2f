import { activePipeline } from '../../../shared/pipelines/pipeline.ts';
import { keys } from '../../../shared/table/keys.ts';
import { after, day } from '../../../shared/time.ts';
import { demoOrganization, foundedSteps } from './accounts.ts';
import { writeFiled, writeSteps } from './bulk-writer.ts';
import type { LoadedTable } from './connection.ts';
import { correspondence, messageSteps } from './correspondence.ts';
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
  const usersById = new Map(users.map((user) => [user._id, user]));
  const people = contacts.map((contact) => ({
    contact,
    exchanged: correspondence(contact, usersById, random),
  }));
  await writeFiled(
    table,
    people.map(({ contact, exchanged }) => ({
      contact,
      conversations: exchanged.map(({ conversation }) => conversation),
      applications: [],
    })),
  );
  await writeSteps(
    table,
    people.flatMap(({ contact, exchanged }) => [
      ...messageSteps(table, exchanged),
      ...noteSteps(table, contact, usersById, now, random),
    ]),
  );
}
