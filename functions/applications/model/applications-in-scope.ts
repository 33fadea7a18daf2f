import { applicationKey, type StoredApplication } from '../../../shared/contact-aggregate/application.ts';
import { boardRange, type Card, involvedIn } from '../../../shared/contact-aggregate/card.ts';
import { type Pipeline, readPipelines } from '../../../shared/contacts/pipeline.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { Paging } from '../../../shared/kernel/schemas/paging.ts';
import { involvedPeople, readScope, sees } from '../../../shared/organizations/visibility.ts';
import { readMergedPage } from '../../../shared/table/merged-page.ts';
import type { TableReader } from '../../../shared/table/table.ts';

interface ApplicationPage {
  readonly applications: readonly StoredApplication[];
  /** The organization's current pipelines. */
  readonly pipelines: readonly Pipeline[];
  readonly nextCursor: string | null;
}

/**
 * One page of the applications of all contacts that the caller may see, newest first. Every application is on the board of its stage,
 * so the boards of all Application pipelines together are the list.
 */
export async function readApplicationsInScope(
  table: TableReader,
  caller: Caller,
  paging: Paging,
): Promise<ApplicationPage> {
  const [scope, { data }] = await Promise.all([readScope(caller, table), readPipelines(table)]);
  const { pipelines } = data;
  const isVisible = (card: Card) => sees(scope, involvedPeople(involvedIn(card)));
  const { records, nextCursor } = await readMergedPage(
    table,
    pipelines
      .filter(({ type }) => type === 'Application')
      .flatMap(({ stages }) => stages.map(({ _id }) => boardRange(_id, ['all']))),
    { ...paging, consistent: true, ...(scope.kind === 'organization' ? {} : { matches: isVisible }) },
  );
  const ids = records.map(({ key }) => key.sort.at(-1) ?? '');
  const stored = await table.readMany(ids.map(applicationKey));
  return { applications: stored.flatMap((record) => record?.data ?? []), pipelines, nextCursor };
}
