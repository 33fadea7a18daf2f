import { listedNames } from '../../../../shared/kernel/names/listed-names.ts';
import {
  findUsableTemplates,
  type StoredTemplate,
  templateWriter,
} from '../../../../shared/messages/template.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import { toDigest } from '../../../../shared/table/digest.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Reach, roleWithin } from '../../../../shared/workflows/own-workflows.ts';
import { idsToLookUp, referencesIn } from './catalogue.ts';
import type { Confirmed, Plan } from './plan.ts';
import { readRights } from './rights-of-owner.ts';
import type { PlanState } from './workflow.ts';

/** The confirmation of now, and the templates that it is confirmed with. */
export interface ConfirmedNow {
  readonly confirmed: Confirmed;
  readonly templates: ReadonlyMap<string, StoredTemplate>;
}

/**
 * Reads what is confirmed of a plan now. A text that somebody changes while this reads, or that an eventually consistent read does not have yet,
 * is not confirmed: then it is not sent.
 */
export async function readConfirmed(
  table: TableReader,
  plan: Plan,
  ownerId: string,
  most: Reach | undefined,
): Promise<ConfirmedNow> {
  const ids = idsToLookUp(referencesIn(plan).named, 'template');
  const templates = await findUsableTemplates(table, { userId: ownerId }, ids, { consistent: false });
  const texts = Object.fromEntries(Array.from(templates, ([id, { template }]) => [id, toDigest(template)]));
  return { confirmed: { texts, ...(most && { most }) }, templates };
}

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
  return isKnown || (await readRights(templateWriter(template), table)).covers(ownerId);
}

const isAmong = (texts: Confirmed['texts'], { _id, template }: StoredTemplate): boolean =>
  texts === 'current' || (Object.hasOwn(texts, _id) && texts[_id] === toDigest(template));

/**
 * The changed texts that an edit confirms, as sentences for whoever edits, who may not know of them. It reads only if a DEPARTMENT_HEAD has
 * changed a template.
 * @param templates the templates that the new plan names.
 */
export async function findNewlyConfirmedTexts(
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
export async function findNewlyConfirmedRights(
  table: TableReader,
  ownerId: string,
  before: Reach | undefined,
  after: Reach | undefined,
): Promise<string[]> {
  const owner = before && (await table.read(userKey(ownerId), { consistent: false }));
  const isWider = owner && roleWithin(owner.data, before) !== roleWithin(owner.data, after);
  return isWider ? ['It now acts with all rights of its owner'] : [];
}
