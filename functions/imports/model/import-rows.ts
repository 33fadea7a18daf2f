import { userIdsByName } from '../../../shared/contacts/checked-fields.ts';
import { type FieldType, readFieldDefinitions } from '../../../shared/contacts/field-definition.ts';
import { readPipelines } from '../../../shared/contacts/pipeline.ts';
import type { SliceContext } from '../../../shared/jobs/job-type.ts';
import { recordJob } from '../../../shared/jobs/record-job.ts';
import type { DocumentReader } from '../../../shared/kernel/providers/objects.ts';
import type { OwnedObjects } from '../../../shared/notes/owned-objects.ts';
import { readScope, readUsers } from '../../../shared/organizations/visibility.ts';
import { readOrganizationZone } from '../../../shared/organizations/zone-for.ts';
import type { Key } from '../../../shared/table/key.ts';
import { type Row, rowsAfter } from './csv-file.ts';
import { type ImportInput, type Limits, type Surroundings, withoutKey, writeRow } from './import-row.ts';
import { isoDates, plainNumbers } from './written-values.ts';

/** The stored file of an import, in UTF-8. */
export const importFileName = (jobId: string) => `imports/${jobId}`;

/** The record that keeps that file: with it, the file is deleted. */
export const importObjectsKey = (jobId: string): Key<OwnedObjects> => ({
  partition: ['JOB', jobId],
  sort: ['OBJECTS', 'FILE'],
});

interface ImportRow extends Row {
  readonly given: Surroundings;
}

/** Imports the rows of a file one by one. */
export const importRows = (documents: DocumentReader, limits: Limits) =>
  recordJob<ImportInput, ImportRow>({
    total: async ({ input }) => input.layout.total,
    async *read(context, after) {
      const [bytes, given] = await Promise.all([
        documents.get(importFileName(context.job._id)),
        readSurroundings(context),
      ]);
      if (bytes === undefined) {
        throw new Error('The file of an import is gone before its end');
      }
      for (const row of rowsAfter(bytes, context.input.layout, after)) {
        yield { ...row, given };
      }
    },
    run: ({ cells, given }, record) => writeRow(cells, given, record, limits),
    countedReason: withoutKey,
    finish: async (_, __, reasoned) => ({ [withoutKey]: reasoned }),
  });

async function readSurroundings({ table, caller, input }: SliceContext<ImportInput>): Promise<Surroundings> {
  const [users, zone, scope, { data }, fields] = await Promise.all([
    readUsers(table),
    readOrganizationZone(table),
    readScope(caller, table),
    readPipelines(table),
    readFieldDefinitions(table),
  ]);
  const definitions = fields.data.definitions.filter(({ appliesTo }) => appliesTo === 'contact');
  const keysOf = (...types: readonly FieldType[]) =>
    new Set(definitions.filter(({ type }) => types.includes(type)).map(({ key }) => key));
  const userIds = userIdsByName(users, true);
  const { layout, mapping, clearWith } = input;
  return {
    ...{ scope, pipelines: data.pipelines, turns: new Map() },
    rules: { definitions, zone, userIds, readsTexts: true },
    reading: {
      ...{ columns: layout.columns, mapping, clearWith, zone, userIds },
      ...{ toIsoDate: isoDates(input), dateKeys: keysOf('date', 'dateTime') },
      ...{ toPlainNumber: plainNumbers(input.locale), numberKeys: keysOf('number') },
    },
  };
}
