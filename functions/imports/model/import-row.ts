import { prepareUpsert, type UpsertRequest } from '../../../shared/contact-aggregate/upsert-contact.ts';
import type { FieldRules } from '../../../shared/contacts/checked-fields.ts';
import type { ContactFields } from '../../../shared/contacts/contact-fields.ts';
import { emailDigest } from '../../../shared/contacts/lookup-keys.ts';
import type { Pipeline } from '../../../shared/contacts/pipeline.ts';
import { stageById } from '../../../shared/contacts/stages.ts';
import { eventActions } from '../../../shared/events/outbox.ts';
import type { RecordContext, RecordOutcome } from '../../../shared/jobs/run-record.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { sameNumberForm } from '../../../shared/kernel/names/same-numbers.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { assignmentNotification } from '../../../shared/notifications/notification-request.ts';
import { addWithinShare } from '../../../shared/organizations/trial-records.ts';
import type { Scope } from '../../../shared/organizations/visibility.ts';
import type { Mapping } from './columns.ts';
import type { Layout } from './csv-file.ts';
import type { ImportFields } from './import-fields.ts';
import { type ReadRow, type RowReading, readRow } from './read-row.ts';

/** What an import is given. */
export interface ImportInput
  extends Pick<
    ImportFields,
    | 'match'
    | 'onDuplicate'
    | 'pipelineId'
    | 'stage'
    | 'owner'
    | 'tags'
    | 'locale'
    | 'dateFormat'
    | 'clearWith'
  > {
  readonly layout: Layout;
  readonly mapping: Mapping;
}

/** What all rows of a slice are read and written with. */
export interface Surroundings {
  readonly reading: RowReading;
  readonly rules: FieldRules;
  readonly scope: Scope;
  readonly pipelines: readonly Pipeline[];
  /** The last row about each contact that may be the same. */
  readonly turns: Map<string, Promise<unknown>>;
}

/** Ports that limit how many records are added. */
export type Limits = Ports<{ rateLimits: 'limit'; trialPolicy: 'read' }>;

/** The reason in results of contacts that nothing would find again. */
export const withoutKey = 'withoutKey';

/**
 * Imports a row. Of rows about the same contact, each waits for the one before, so that the last one counts.
 * @returns what became of it. @throws a `Failure` that names the column of what is wrong.
 */
export async function writeRow(
  cells: readonly string[],
  given: Surroundings,
  record: RecordContext<ImportInput>,
  limits: Limits,
): Promise<RecordOutcome> {
  const row = readRow(given.reading, cells);
  const keys = keysIn(row.fields);
  const before = keys.map((key) => given.turns.get(key));
  const imported = Promise.all(before).then(() => writeInTurn(row, given, record, limits));
  for (const key of keys) {
    given.turns.set(
      key,
      imported.catch(() => undefined),
    );
  }
  return imported;
}

function keysIn({ externalId, email, phoneNumbers = [] }: ContactFields): string[] {
  return [
    ...(externalId ? [`externalId ${externalId}`] : []),
    ...(email ? [`email ${emailDigest(email)}`] : []),
    ...phoneNumbers.map(({ value }) => `phone ${sameNumberForm(value)}`),
  ];
}

/** Writes the contact of a row, and then its note. */
async function writeInTurn(
  row: ReadRow,
  given: Surroundings,
  record: RecordContext<ImportInput>,
  limits: Limits,
): Promise<RecordOutcome> {
  const note = record.job.dryRun ? undefined : row.note;
  const outcome = record.done ?? (await upsertRow(row, given, record, limits));
  if (note === undefined || outcome.contactId === undefined || isDuplicate(outcome)) {
    return outcome;
  }
  await record.perform('create-note', { body: { contactId: outcome.contactId, note } });
  return outcome;
}

const duplicate = 'duplicate';
const isDuplicate = (outcome: Partial<RecordOutcome>) => outcome.reason === duplicate;

async function upsertRow(
  row: ReadRow,
  { scope, pipelines, rules }: Surroundings,
  { input, table, caller, job, now, newId, step }: RecordContext<ImportInput>,
  limits: Limits,
): Promise<RecordOutcome> {
  const request = upsertOf(row, input, pipelines);
  const ids = { contact: newId(), released: new Map() };
  const eventIds = [newId(), newId(), newId()];
  const options = {
    moreFollow: row.note !== undefined && !job.dryRun,
    ...(request.match === undefined && { reason: withoutKey }),
  };
  return table.optimistically(async (): Promise<RecordOutcome> => {
    const own = step(options);
    const plan = await prepareUpsert(
      { table: own, caller, scope, pipelines, rules, assigned: assignmentNotification, now },
      request,
      ids,
    );
    const { outcome, contact } = plan;
    if (plan.before !== undefined && input.onDuplicate !== 'update') {
      const status = input.onDuplicate === 'skip' ? 'skipped' : 'failed';
      return { status, contactId: contact._id, reason: duplicate };
    }
    if (outcome === 'unchanged') {
      return { status: 'skipped', contactId: contact._id, reason: outcome };
    }
    const commit = () => own.commit([...plan.actions, ...eventActions(own, plan.events, eventIds, now)]);
    await (outcome === 'created'
      ? addWithinShare({ table, ...limits }, 'contacts', caller.organizationId, commit)
      : commit());
    return { status: outcome, contactId: contact._id };
  });
}

/** What finds a contact, in the order in which a row without the wished one is matched. */
const matches = ['externalId', 'email', 'phone'] as const;

function upsertOf(
  { fields, cleared, stage, createdAt }: ReadRow,
  { match, pipelineId, stage: firstStage, owner, tags: given = [] }: ImportInput,
  pipelines: readonly Pipeline[],
): UpsertRequest {
  const has = (one: (typeof matches)[number]) =>
    one === 'phone' ? fields.phoneNumbers !== undefined : Boolean(fields[one]);
  const tags = [...(fields.tags ?? []), ...given];
  const isId = stage !== undefined && stageById(pipelines, stage) !== undefined;
  return {
    match: match !== undefined && has(match) ? match : matches.find(has),
    cleared,
    createdAt,
    whenNew: definedOnly({ pipelineId, stage: firstStage, owner, isBulkImport: true }),
    fields: {
      ...fields,
      ...(tags.length > 0 && { tags }),
      ...(stage !== undefined && (isId ? { stageId: stage } : definedOnly({ stage, pipelineId }))),
    },
  };
}
