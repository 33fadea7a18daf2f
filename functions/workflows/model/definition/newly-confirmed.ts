import { listedNames } from '../../../../shared/kernel/names/listed-names.ts';
import type { StoredTemplate } from '../../../../shared/messages/template.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Reach, roleWithin } from '../../../../shared/workflows/own-workflows.ts';
import { isConfirmedText } from './confirmed-text.ts';
import type { PlanState } from './workflow.ts';

/**
 * The changed texts that an edit confirms, as sentences for whoever edits, who may not know of them. It reads only if a DEPARTMENT_HEAD has
 * changed a template.
 * @param templates those that the new plan names.
 */
export async function newlyConfirmedTexts(
  table: TableReader,
  ownerId: string,
  { confirmed: before }: PlanState,
  templates: ReadonlyMap<string, StoredTemplate>,
): Promise<string[]> {
  const names = await Promise.all(
    Array.from(templates.values(), async (template) => {
      // A template that the last plan did not name is news to nobody: the edit adds it.
      const texts = before?.texts ?? 'current';
      const isNamed = texts === 'current' || Object.hasOwn(texts, template._id);
      return isNamed && !(await isConfirmedText(table, ownerId, template, before)) ? [template.name] : [];
    }),
  );
  const changed = names.flat();
  return changed.length > 0 ? [`It now sends the changed text of: ${listedNames(changed)}`] : [];
}

/** The wider rights that an edit confirms, as sentences. It reads only if the workflow was held to earlier rights of the owner. */
export async function newlyConfirmedRights(
  table: TableReader,
  ownerId: string,
  before: Reach | undefined,
  after: Reach | undefined,
): Promise<string[]> {
  const owner = before && (await table.read(userKey(ownerId), { consistent: false }));
  const isWider = owner && roleWithin(owner.data, before) !== roleWithin(owner.data, after);
  return isWider ? ['It now acts with all rights of its owner'] : [];
}
