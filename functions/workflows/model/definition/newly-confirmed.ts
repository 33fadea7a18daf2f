import { isDeepStrictEqual } from 'node:util';
import { listedNames } from '../../../../shared/listed-names.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { StoredTemplate } from '../../../../shared/templates/template.ts';
import { roleWithin } from '../../../../shared/workflows/own-workflows.ts';
import { isConfirmedText } from './confirmed-text.ts';
import type { Confirmed } from './plan.ts';
import type { PlanState } from './workflow.ts';

/**
 * What an edit confirms that the last plan did not do, as sentences for whoever edits, who may not know of it. It reads only if a
 * DEPARTMENT_HEAD has changed a template, or if the plan is held to earlier rights of the owner.
 * @param templates those that the new plan names.
 */
export async function newlyConfirmed(
  table: TableReader,
  ownerId: string,
  { confirmed: before }: PlanState,
  after: Confirmed,
  templates: ReadonlyMap<string, StoredTemplate>,
): Promise<string[]> {
  const [isWider, ...names] = await Promise.all([
    getsWiderRights(table, ownerId, before, after),
    ...Array.from(templates.values(), async (template) => {
      // A template that the last plan did not name is news to nobody: the edit adds it.
      const texts = before?.texts ?? 'current';
      const isNamed = texts === 'current' || Object.hasOwn(texts, template._id);
      return isNamed && !(await isConfirmedText(table, ownerId, template, before)) ? [template.name] : [];
    }),
  ]);
  const changed = names.flat();
  return [
    ...(isWider ? ['It now acts with all rights of its owner'] : []),
    ...(changed.length > 0 ? [`It now sends the changed text of: ${listedNames(changed)}`] : []),
  ];
}

async function getsWiderRights(
  table: TableReader,
  ownerId: string,
  before: Confirmed | undefined,
  { most }: Confirmed,
): Promise<boolean> {
  if (before?.most === undefined || isDeepStrictEqual(before.most, most)) {
    return false;
  }
  const owner = await table.read(userKey(ownerId), { consistent: false });
  return owner !== undefined && roleWithin(owner.data, before.most) !== roleWithin(owner.data, most);
}
