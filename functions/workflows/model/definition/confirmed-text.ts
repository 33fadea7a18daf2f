import { type StoredTemplate, writerOf } from '../../../../shared/messages/template.ts';
import { digestOf } from '../../../../shared/table/digest.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Confirmed } from './plan.ts';
import { rightsOf } from './rights-of-owner.ts';

/**
 * Whether a workflow of this owner may send the text of a template: somebody who may change the workflow has confirmed it, or wrote it.
 * It reads only if a DEPARTMENT_HEAD wrote it.
 * @param confirmed undefined for a plan of an earlier version: it sends what nobody has written since.
 */
export async function isConfirmedText(
  table: TableReader,
  ownerId: string,
  template: StoredTemplate,
  confirmed: Confirmed | undefined,
): Promise<boolean> {
  const isKnown =
    confirmed === undefined ? template.writtenBy === undefined : isAmong(confirmed.texts, template);
  return isKnown || (await rightsOf(writerOf(template), table)).covers(ownerId);
}

const isAmong = (texts: Confirmed['texts'], { _id, template }: StoredTemplate): boolean =>
  texts === 'current' || (Object.hasOwn(texts, _id) && texts[_id] === digestOf(template));
