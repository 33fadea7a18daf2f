import { type FieldRules, withCheckedFields } from '../contacts/checked-fields.ts';
import { withConsentsOfNumbers } from '../contacts/consent.ts';
import {
  edited,
  isUnchanged,
  moved,
  newContact,
  ownNumber,
  primaryEntry,
  type StoredContact,
} from '../contacts/contact.ts';
import { contactEvent, contactMoved, contactRestored } from '../contacts/contact-events.ts';
import { type ContactFields, contactLimits } from '../contacts/contact-fields.ts';
import { emailClaimKey, emailDigest } from '../contacts/lookup-keys.ts';
import type { Pipeline, Stage } from '../contacts/pipeline.ts';
import { type RequestedStage, requestedStage, stageById } from '../contacts/stages.ts';
import { Taken } from '../contacts/taken.ts';
import type { NewEvent } from '../events/outbox.ts';
import type { Caller } from '../kernel/caller.ts';
import { Failure } from '../kernel/failure.ts';
import { after, day, epochSeconds, type Timestamp, timestamp } from '../kernel/time.ts';
import { involvedPeople, type Scope, sees } from '../organizations/visibility.ts';
import { type Action, type TableWriter, VersionConflict } from '../table/table.ts';
import { assignableActions } from './assignable.ts';
import { changedFields } from './changed-fields.ts';
import { type ContactAggregate, readAggregate, withContact } from './contact-aggregate.ts';
import { contactWrites } from './contact-writes.ts';
import { findMatch, isMatch, type MatchField, type Sought } from './find-match.ts';
import { restoredState } from './find-or-create-contact.ts';
import type { ReleasedLocks } from './number-locks.ts';

/** What an upsert works with. */
export interface UpsertGiven {
  readonly table: TableWriter;
  readonly caller: Caller;
  /** The caller's. */
  readonly scope: Scope;
  /** All of the organization. */
  readonly pipelines: readonly Pipeline[];
  /** What its custom fields are checked with. */
  readonly rules: FieldRules;
  /** Whom new people of a contact notify. */
  readonly assigned: (
    before: StoredContact | undefined,
    after: StoredContact,
    userId: string,
  ) => NewEvent['notify'];
  readonly now: Date;
}

export interface UpsertRequest {
  /** The field that finds the contact; undefined for a contact that is always new. */
  readonly match: MatchField | undefined;
  /** As `POST /api/contacts/create` takes them. */
  readonly fields: ContactFields & RequestedStage;
  /** When a new contact was created; now unless stated. */
  readonly createdAt?: Timestamp | undefined;
  /** Fields of a new contact that the request does not state. */
  readonly whenNew?: (ContactFields & RequestedStage) | undefined;
  /** Lists of a contact that is found which become those of the request; others are joined. */
  readonly cleared?: readonly ('phoneNumbers' | 'tags')[] | undefined;
}

/** What is the same in all attempts of one upsert. */
export interface UpsertIds {
  /** The id of the contact if it is new. */
  readonly contact: string;
  /** Fills with what the attempts find. */
  readonly released: ReleasedLocks;
}

/** What an upsert would change. */
export interface UpsertPlan {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** The contact that was found, no longer archived; undefined for a new one. */
  readonly before: StoredContact | undefined;
  readonly contact: StoredContact;
  readonly stage: Stage | undefined;
  /** None for a contact that stays as it is. */
  readonly actions: readonly Action[];
  readonly events: readonly NewEvent[];
}

/**
 * Plans one attempt of an upsert, to be committed with its events. Of simultaneous upserts that find no contact one creates it, and the
 * commits of the others are conflicts: their next attempts find it.
 * @throws a 400 `Failure` without a value of the matched field, a `Taken` if the caller may not see the contact.
 */
export async function prepareUpsert(
  given: UpsertGiven,
  request: UpsertRequest,
  ids: UpsertIds,
): Promise<UpsertPlan> {
  const { table, scope } = given;
  const sought = request.match && soughtBy(request.match, request.fields);
  const claim = sought?.match === 'email' ? await readClaim(table, sought.value) : undefined;
  const { contactId, released } = sought ? await findMatch(table, scope, sought) : {};
  if (sought === undefined || contactId === undefined) {
    if (sought !== undefined && released !== undefined) {
      ids.released.set(sought.value, released);
    }
    return creation(given, request, ids, { sought, claim });
  }
  const aggregate = await readAggregate(table, contactId);
  // It may have been deleted, or may have lost what was sought, in between.
  if (aggregate === undefined || !isMatch(aggregate.contact.data, sought)) {
    throw new VersionConflict();
  }
  if (!sees(scope, involvedPeople(aggregate.contact.data))) {
    throw new Taken(sought.match, contactId, { isNamed: false });
  }
  return change(given, request, aggregate, sought, ids.released);
}

/** @throws a 400 `Failure` if the fields have no such value. */
function soughtBy(match: MatchField, { phoneNumbers = [], ...fields }: ContactFields): Sought {
  const value = match === 'phone' ? primaryEntry(phoneNumbers)?.value : fields[match];
  if (!value) {
    throw new Failure(
      'INVALID',
      `${match === 'phone' ? 'phoneNumbers' : match} is required, as match names it`,
    );
  }
  return { match, value };
}

/** Nothing keeps an email address unique: so whoever creates a contact that an upsert by it has not found, claims it. */
interface Claim {
  readonly version: number | undefined;
}

async function readClaim(table: TableWriter, email: string): Promise<Claim> {
  return { version: (await table.read(emailClaimKey(emailDigest(email))))?.version };
}

/** Longer than any attempt takes. */
const claimLifetime = day;

function claimAction(table: TableWriter, email: string, { version }: Claim, now: Date): Action {
  return table.updateAction(emailClaimKey(emailDigest(email)), {
    update: 'SET expiresAt = :expiresAt ADD version :one',
    when: version === undefined ? 'attribute_not_exists(pk)' : 'version = :version',
    values: {
      ...{ expiresAt: epochSeconds(after(now, claimLifetime)), one: 1 },
      ...(version !== undefined && { version }),
    },
  });
}

function creation(
  { table, caller, pipelines, rules, assigned, now }: UpsertGiven,
  request: UpsertRequest,
  { contact: id, released }: UpsertIds,
  { sought, claim }: { sought: Sought | undefined; claim: Claim | undefined },
): UpsertPlan {
  const { createdAt, whenNew } = request;
  const { pipelineId, stageId, stage, ...sent } = { ...whenNew, ...request.fields };
  const { customFields = {} } = sent;
  const set = Object.fromEntries(Object.entries(customFields).filter(([, value]) => value !== null));
  const fields = withCheckedFields(rules, { ...sent, customFields: set });
  const found = requestedStage(pipelines, 'Contact', { pipelineId, stageId, stage });
  const at = timestamp(now);
  const created = newContact(id, caller, found, fields, at);
  const contact = withConsentsOfNumbers(undefined, { ...created, createdAt: createdAt ?? at }, released);
  const state = { contact, conversations: [], applications: [] };
  return {
    outcome: 'created',
    before: undefined,
    contact,
    stage: found.stage,
    actions: [
      ...contactWrites(table, undefined, state, { sought: sought ? [sought.value] : [], released }),
      ...assignableActions(table, undefined, fields, caller),
      ...(sought && claim ? [claimAction(table, sought.value, claim, now)] : []),
    ],
    events: [
      {
        ...contactEvent('contact_created', contact, found.stage),
        notify: assigned(undefined, contact, caller.userId),
      },
    ],
  };
}

function change(
  { table, caller, pipelines, rules, assigned, now }: UpsertGiven,
  request: UpsertRequest,
  aggregate: ContactAggregate,
  { match }: Sought,
  released: ReleasedLocks,
): UpsertPlan {
  const at = timestamp(now);
  const state = restoredState(aggregate, at);
  const before = state.contact;
  const isRestored = aggregate.contact.data.archivedAt !== undefined;
  const { pipelineId, stageId, stage, ...fields } = request.fields;
  const updated = edited(before, joinedFields(before, fields, request.cleared, match, rules), at, released);
  const home = pipelines.find(({ _id }) => _id === before.pipelineId);
  const isMove =
    stageId !== undefined ||
    stage !== undefined ||
    (pipelineId !== undefined && pipelineId !== before.pipelineId);
  const from = stageById(pipelines, before.stageId);
  const to = isMove ? requestedStage(pipelines, 'Contact', { pipelineId, stageId, stage }, home) : undefined;
  const target = to?.stageId === before.stageId ? undefined : to;
  const isEdited = !isUnchanged(before, updated);
  const contact = target ? moved(updated, target, at) : updated;
  if (!isEdited && !isRestored && target === undefined) {
    return { outcome: 'unchanged', before, contact: before, stage: from, actions: [], events: [] };
  }
  const update: NewEvent = {
    ...contactEvent('contact_updated', updated, from, before),
    notify: assigned(before, updated, caller.userId),
  };
  return {
    outcome: 'updated',
    before,
    contact,
    stage: target?.stage ?? from,
    actions: [
      ...contactWrites(table, aggregate, withContact(state, contact), { released }),
      ...assignableActions(table, before, fields, caller),
    ],
    events: [
      ...(isRestored ? [contactRestored(before, from)] : []),
      ...(isEdited ? [update] : []),
      ...(target ? [contactMoved(updated, contact, target.stage, from?.name ?? '')] : []),
    ],
  };
}

/** The fields of a contact that was found: what finds it stays as it is, and lists and custom fields are joined. */
function joinedFields(
  before: StoredContact,
  { tags, customFields, phoneNumbers = [], ...fields }: ContactFields,
  cleared: UpsertRequest['cleared'] = [],
  match: MatchField,
  rules: FieldRules,
) {
  const added = phoneNumbers.filter(({ value }) => ownNumber(before.phoneNumbers, value) === undefined);
  const others = added.map((number) => ({ ...number, isPrimary: false }));
  const areReplaced = cleared.includes('phoneNumbers');
  const joined = before.phoneNumbers.length === 0 ? added : [...before.phoneNumbers, ...others];
  const numbers = areReplaced ? phoneNumbers : joined;
  if (numbers.length > contactLimits.phoneNumbers) {
    throw new Failure(
      'INVALID',
      `phoneNumbers must leave the contact with at most ${contactLimits.phoneNumbers} numbers`,
    );
  }
  const { setCustomFields } = withCheckedFields(
    rules,
    { setCustomFields: customFields },
    before.customFields,
    'customFields',
  );
  const changes = changedFields(
    before,
    {
      ...fields,
      ...(cleared.includes('tags') ? { tags: tags ?? [] } : { addTags: tags }),
      setCustomFields,
    },
    { addTags: 'tags', setCustomFields: 'customFields' },
  );
  return {
    ...changes,
    phoneNumbers: added.length === 0 && !areReplaced ? undefined : numbers,
    ...(match === 'phone' ? {} : { [match]: undefined }),
  };
}
