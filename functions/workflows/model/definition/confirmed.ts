import { type StoredTemplate, usableTemplates } from '../../../../shared/messages/template.ts';
import { digestOf } from '../../../../shared/table/digest.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import type { Confirmed, Plan } from './plan.ts';
import { lookedUp, referencesIn } from './references.ts';

/** What is confirmed now, and the templates that it is confirmed with. */
export interface ConfirmedNow {
  readonly confirmed: Confirmed;
  readonly templates: ReadonlyMap<string, StoredTemplate>;
}

/**
 * What is confirmed of a plan now. A text that somebody changes while this reads, or that an eventually consistent read does not have yet,
 * is not confirmed: then it is not sent.
 */
export async function confirmedNow(
  table: TableReader,
  plan: Plan,
  ownerId: string,
  most: Reach | undefined,
): Promise<ConfirmedNow> {
  const ids = lookedUp(referencesIn(plan).named, 'template');
  const templates = await usableTemplates(table, { userId: ownerId }, ids, { consistent: false });
  const texts = Object.fromEntries(Array.from(templates, ([id, { template }]) => [id, digestOf(template)]));
  return { confirmed: { texts, ...(most && { most }) }, templates };
}
