import type { StoredContact } from '../../../../shared/contacts/contact.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import { notFound } from '../../../../shared/kernel/failure.ts';
import { involvedPeople, readScope, sees } from '../../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { SkipReason } from '../../../../shared/workflows/run-statuses.ts';
import type { Decision } from './decision.ts';
import { fieldRoot } from './fields.ts';
import type { ContextSources } from './step-context.ts';

/** Whether this user may see the contact now. */
export async function canSee(table: TableReader, caller: Caller, contact: StoredContact): Promise<boolean> {
  return sees(await readScope(caller, table), involvedPeople(contact));
}

/** Whether the owner of the workflow may not see the contact: then no reason may reveal anything of it, not even what it lacks. */
export async function isHidden({ table, context: { owner, state } }: ContextSources): Promise<boolean> {
  return owner !== undefined && state !== undefined && !(await canSee(table, owner, state.contact));
}

/** Why a step may not go by these fields: some are of a contact that the owner of the workflow may not see. Undefined if it may. */
export async function findHiddenReason(
  sources: ContextSources,
  fields: readonly string[],
): Promise<SkipReason | undefined> {
  const { owner, state } = sources.context;
  if (state === undefined || !fields.some((field) => fieldRoot(field) === 'contact')) {
    return undefined;
  }
  if (owner === undefined) {
    return 'owner_disabled';
  }
  return (await isHidden(sources)) ? 'contact_not_visible' : undefined;
}

/** The outcome of a step about a record that does not exist; for a hidden contact, the same as if the record existed. */
export function lacking(reason: SkipReason, record: string, hidden: boolean): Decision {
  return {
    outcome: hidden ? { status: 'failed', reason: notFound(record).message } : { status: 'skipped', reason },
  };
}
