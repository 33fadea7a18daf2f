import { planBoard } from '../../../shared/board/board-plan.ts';
import { rangeEnds } from '../../../shared/board/board-query.ts';
import { loadCustomFieldTests } from '../../../shared/board/custom-filters.ts';
import { type MatchPlace, readMatches } from '../../../shared/board/read-matches.ts';
import type { SegmentFilter } from '../../../shared/board/segment.ts';
import type { Contact } from '../../../shared/contacts/contact.ts';
import { readPipelines } from '../../../shared/contacts/pipeline.ts';
import { stagesById } from '../../../shared/contacts/stages.ts';
import { toContactResponse } from '../../../shared/contacts/to-contact-response.ts';
import { noCounts } from '../../../shared/jobs/job.ts';
import type { JobType, SliceContext, SliceReport } from '../../../shared/jobs/job-type.ts';
import { type ExportFiles, urlLifetime } from '../../../shared/kernel/providers/objects.ts';
import { after, hour, second, timestamp } from '../../../shared/kernel/time.ts';
import type { OwnedObjects } from '../../../shared/notes/owned-objects.ts';
import { readUsers } from '../../../shared/organizations/visibility.ts';
import { readZoneFor } from '../../../shared/organizations/zone-for.ts';
import type { Key } from '../../../shared/table/key.ts';
import { type Extent, noExtent, widened } from './export-cells.ts';
import { buildFile, type ExportFormat, packedPart } from './export-file.ts';
import { readExportRight } from './export-right.ts';

/** What an export is given. */
export interface ExportInput {
  readonly filter: SegmentFilter;
  readonly fields: readonly string[];
  readonly format: ExportFormat;
}

interface Progress {
  readonly parts: number;
  readonly total: number;
  readonly extent: Extent;
  readonly place?: MatchPlace;
}

/** The record that keeps an object of an export: with it, the object is deleted. */
export const exportObjectsKey = (jobId: string, part: string): Key<OwnedObjects> => ({
  partition: ['JOB', jobId],
  sort: ['OBJECTS', 'EXPORT', part],
});

/** Contacts of a part. */
const partSize = 2_000;

/** How long what an export stores is kept. */
const keptFor = 2 * hour;

/** Collects contacts part by part, and at the end writes them as one file. */
export const contactExports = (files: ExportFiles): JobType<ExportInput> => ({
  async runSlice(context) {
    const progress = (context.state as Progress | undefined) ?? { parts: 0, total: 0, extent: noExtent };
    if (context.stop !== undefined) {
      const { total } = progress;
      return { counts: { ...noCounts, total, skipped: total }, state: progress, isDone: true };
    }
    if (!(await readExportRight(context.table, context.caller.role))) {
      return {
        ...{ counts: { ...noCounts, total: progress.total, skipped: progress.total }, state: undefined },
        ...{ isDone: true, endsAs: 'failed' },
        result: { problem: 'Its creator may no longer export contacts.' },
      };
    }
    const { isWhole, ...collected } = await collectContacts(context, files, progress);
    const { total } = collected;
    if (!isWhole) {
      return { counts: { ...noCounts, total }, state: collected, isDone: false };
    }
    return finishExport(context, files, collected);
  },
});

type Context = SliceContext<ExportInput>;

async function collectContacts(
  { table, input, caller, clock, job, mayGoOn }: Context,
  files: ExportFiles,
  progress: Progress,
): Promise<Progress & { readonly isWhole: boolean }> {
  const { filter } = input;
  const customFields = await loadCustomFieldTests(filter.customFilters);
  const [{ data }, users, zone] = await Promise.all([
    readPipelines(table),
    readUsers(table),
    readZoneFor(table, ...rangeEnds({ ...filter, size: 1 })),
  ]);
  const stages = stagesById(data.pipelines);
  const wanted = data.pipelines.filter(
    ({ _id, type }) => type === 'Contact' && (filter.pipelineId === undefined || _id === filter.pipelineId),
  );
  const plans = wanted.map(({ _id }) =>
    planBoard({ ...filter, pipelineId: _id, size: 1 }, data.pipelines, { caller, users, zone }, clock()),
  );
  const [plan] = plans;
  if (plan === undefined) {
    return { ...progress, isWhole: true };
  }
  const whole = { ...plan, columns: plans.flatMap(({ columns }) => columns) };
  let state = progress;
  let waiting: Contact[] = [];
  const store = async (place: MatchPlace | undefined) => {
    if (waiting.length > 0) {
      await storeObject({ table, clock, job }, files, `part-${state.parts}`, packedPart(waiting));
    }
    state = {
      parts: state.parts + (waiting.length > 0 ? 1 : 0),
      total: state.total + waiting.length,
      extent: widened(state.extent, waiting),
      ...(place && { place }),
    };
    waiting = [];
  };
  for await (const { contacts, place } of readMatches(table, whole, customFields, progress.place)) {
    waiting.push(...contacts.map((contact) => toContactResponse(contact, stages.get(contact.stageId))));
    const isTimeUp = !(await mayGoOn());
    if (waiting.length >= partSize || isTimeUp) {
      await store(place);
    }
    if (isTimeUp) {
      return { ...state, isWhole: false };
    }
  }
  await store(state.place);
  return { ...state, isWhole: true };
}

async function finishExport(
  context: Context,
  files: ExportFiles,
  { parts, extent }: Progress,
): Promise<SliceReport> {
  const { table, input, job, clock } = context;
  const emails = new Map((await readUsers(table)).map(({ _id, email }) => [_id, email]));
  async function* packed() {
    for (let part = 0; part < parts; part += 1) {
      yield await files.get(objectName(job._id, `part-${part}`));
    }
  }
  const { format, fields } = input;
  const nameOf = (userId: string) => emails.get(userId) ?? userId;
  const { file, total } = await buildFile(format, packed(), { fields, extent, nameOf });
  const name = `contacts.${format}`;
  await storeObject(context, files, name, file, contentTypes[format]);
  const url = await files.downloadUrl(objectName(job._id, name), {
    ...{ name, type: contentTypes[format], seconds: urlLifetime },
  });
  return {
    counts: { ...noCounts, total, skipped: total },
    state: undefined,
    isDone: true,
    result: { url, expiresAt: timestamp(after(clock(), urlLifetime * second)), contacts: total },
  };
}

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
};

const objectName = (jobId: string, part: string) => `jobs/${jobId}/${part}`;

/** Stores a gzipped object, which is deleted some time later. */
async function storeObject(
  { table, clock, job }: Pick<Context, 'table' | 'clock' | 'job'>,
  files: ExportFiles,
  part: string,
  zipped: Uint8Array,
  type = contentTypes.json,
): Promise<void> {
  const relative = objectName(job._id, part);
  const owned: OwnedObjects = { objects: [{ area: 'exports', key: relative }] };
  await table.commit(
    [table.put(exportObjectsKey(job._id, part), owned, { expiresAt: after(clock(), keptFor) })],
    { isAhead: true },
  );
  await files.put(relative, zipped, type);
}
