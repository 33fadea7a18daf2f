import { digestOf } from '../../../../shared/table/digest.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { StoredTemplate } from '../../../../shared/templates/template.ts';
import type { Confirmed } from '../graph/plan.ts';
import { rightsOf } from '../rights-of-owner.ts';

/**
 * Whether a workflow of this owner may send the text of a template: somebody who may change the workflow has confirmed it, or wrote it.
 * It reads only if a DEPARTMENT_HEAD wrote it.
 */
export async function isConfirmedText(
  table: TableReader,
  ownerId: string,
  { _id, userId, template, writtenBy = { userId, role: 'SALES_REP' } }: StoredTemplate,
  { texts }: Confirmed,
): Promise<boolean> {
  const isKnown = Object.hasOwn(texts, _id) && texts[_id] === digestOf(template);
  return isKnown || (await rightsOf(writtenBy, table)).covers(ownerId);
}
