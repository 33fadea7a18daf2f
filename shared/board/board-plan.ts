import { activePipeline, type Pipeline, type Stage } from '../contacts/pipeline.ts';
import type { Direction } from '../conversations/conversation.ts';
import type { Caller } from '../kernel/caller.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import { Failure } from '../kernel/failure.ts';
import { nameKey, searchFolded } from '../kernel/names/folded.ts';
import { named } from '../kernel/names/same-names.ts';
import { after, day, hour, type Timestamp, timestamp } from '../kernel/time.ts';
import type { User } from '../organizations/user.ts';
import type { View } from '../organizations/views.ts';
import { mergedViews, scopeAmong, teamMembers } from '../organizations/visibility.ts';
import type { BoardQuery } from './board-query.ts';
import type { BoardColumn } from './board-row.ts';
import type { CustomFieldTest } from './custom-filters.ts';
import { type TimeRange, timeRange, type WrittenRange } from './time-range.ts';

/** Plans what to read for a board, without the custom filters of the query. */
export interface BoardPlan {
  /** In the order of the response. */
  readonly columns: readonly ColumnPlan[];
  /** Contacts on a page. */
  readonly size: number;
  /** The lists to read; together they contain every contact that matches. */
  readonly views: readonly View[];
  /** When the contact, or the application on a board of applications, was created; undefined for any time. */
  readonly created: TimeRange | undefined;
  /** The conditions for contacts in these lists; empty if all match. */
  readonly conditions: Conditions;
}

/** A board to be read. */
export interface Board {
  readonly plan: BoardPlan;
  readonly customFields: readonly CustomFieldTest[];
  /** All stages of the organization, by id: their names are in the cards. */
  readonly stages: ReadonlyMap<string, Stage>;
  /** The version of the pipelines' record, which has these stages. */
  readonly pipelinesVersion: number;
}

export interface ColumnPlan extends BoardColumn {
  /** From 1. */
  readonly page: number;
}

export interface Conditions {
  /** Each of these sets must contain one of the contact's users. */
  readonly tiedTo?: readonly ReadonlySet<string>[];
  readonly unassigned?: true;
  readonly bulkImport?: true;
  /** As `nameKey` has it. */
  readonly source?: string;
  /** Which way the last message went that is a reply of a person or comes from the contact. */
  readonly lastExchange?: Direction;
  /** No message since then. */
  readonly silentSince?: Timestamp;
  readonly lastMessage?: TimeRange;
  /** One of these users is assigned to one of its conversations. */
  readonly assignees?: ReadonlySet<string>;
  /** Folded, not empty. */
  readonly search?: string;
  /** One of these tags, as `nameKey` has them. */
  readonly tags?: ReadonlySet<string>;
  /** All of these tags. */
  readonly tagsAll?: ReadonlySet<string>;
}

/** The caller, and the users of the organization if `needsUsers`. */
export interface BoardViewer {
  readonly caller: Caller;
  readonly users: readonly User[];
  /** The time zone of the ranges. */
  readonly zone: string;
}

/** Whether the plan depends on the users' departments. */
export function needsUsers(
  caller: Caller,
  { ownerFilter, owner }: Pick<BoardQuery, 'ownerFilter' | 'owner'>,
): boolean {
  return caller.role === 'DEPARTMENT_HEAD' || (ownerFilter === 'team' && !owner?.length);
}

/**
 * Decides what to read for a board. Without an active pipeline it has no columns.
 * @throws a 404 `Failure` for a missing pipeline.
 */
export function planBoard(
  sent: BoardQuery,
  pipelines: readonly Pipeline[],
  viewer: BoardViewer,
  now: Date,
): BoardPlan {
  const query = withReader(sent, viewer.caller);
  const pipeline = boardPipeline(pipelines, query);
  const isOfContacts = pipeline?.type === 'Contact';
  const { organizationId } = viewer.caller;
  const pageOf = valueByName(query.page ?? {});
  const { views, tiedTo, unassigned } = isOfContacts ? scopeOfContacts(viewer, query) : scope(viewer, query);
  return {
    columns: pipeline
      ? boardStages(pipeline, query).map((stage) => ({
          organizationId,
          pipeline,
          stage,
          page: pageOf(stage._id) ?? pageOf(stage.name) ?? 1,
        }))
      : [],
    size: query.size,
    views,
    created: rangeOf(viewer.zone, query.createdDateRange, query.dateRange),
    conditions: definedOnly({
      tiedTo: tiedTo.length === 0 ? undefined : tiedTo,
      unassigned: unassigned || undefined,
      bulkImport: query.bulkOnly || undefined,
      source: (isOfContacts && nameKey(query.source ?? '')) || undefined,
      lastExchange: directionOf(query.messageStatus),
      silentSince: query.lastMessageTimeRange && silenceSince(query.lastMessageTimeRange, now),
      lastMessage: rangeOf(viewer.zone, query.lastMessageDateRange),
      assignees: query.assignee?.length ? new Set(query.assignee) : undefined,
      search: searchFolded(query.search ?? '').trim() || undefined,
      tags: query.tags && new Set(query.tags.map(nameKey)),
      tagsAll: query.tagsAll && new Set(query.tagsAll.map(nameKey)),
    }),
  };
}

/** The query in which `me` is the caller: a shared segment means each reader's own. Source: contacts-at-work 2. */
function withReader(query: BoardQuery, { userId }: Caller): BoardQuery {
  const whose = (id: string) => (id === 'me' ? userId : id);
  const { ownerFilter, owner, assignee } = query;
  return {
    ...query,
    ownerFilter: whose(ownerFilter),
    owner: owner?.map(whose),
    assignee: assignee?.map(whose),
  };
}

/** The view of a board that shows all cards of one list; undefined for any other. */
export function wholeView({ plan: { views, created, conditions }, customFields }: Board): View | undefined {
  const [view, ...others] = views;
  const isFiltered = created !== undefined || customFields.length > 0 || Object.keys(conditions).length > 0;
  return isFiltered || others.length > 0 ? undefined : view;
}

/** The pipeline of the board; undefined if none is requested and none is active. */
export function boardPipeline(
  pipelines: readonly Pipeline[],
  { pipelineId, pipelineType }: Pick<BoardQuery, 'pipelineId' | 'pipelineType'>,
): Pipeline | undefined {
  if (pipelineId === undefined) {
    return activePipeline(pipelines, pipelineType);
  }
  const pipeline = pipelines.find(({ _id }) => _id === pipelineId);
  if (pipeline === undefined) {
    throw new Failure('NOT_FOUND', 'pipelineId is not the id of a pipeline of this organization');
  }
  return pipeline;
}

/** The requested stages, in the order of the request. Source: decisions 6, "Names of the further filters". */
export function boardStages(
  { stages: all }: Pipeline,
  { stages: names, stageIdByName = {}, status }: Pick<BoardQuery, 'stages' | 'stageIdByName' | 'status'>,
): readonly Stage[] {
  const byId = new Map(all.map((stage) => [stage._id, stage]));
  const byName = named(all);
  const idOf = valueByName(stageIdByName);
  const requested = (name: string) => byId.get(idOf(name) ?? '') ?? byName(name);
  const wanted = names?.length
    ? [...new Set(names.map(requested))].filter((stage) => stage !== undefined)
    : all;
  const only = status ? (byId.get(status) ?? byName(status)) : undefined;
  return status ? wanted.filter((stage) => stage === only) : wanted;
}

/** Finds a value by a name in any case. */
function valueByName<Value>(values: Readonly<Record<string, Value>>): (name: string) => Value | undefined {
  const find = named(Object.entries(values).map(([name, value]) => ({ name, value })));
  return (name) => find(name)?.value;
}

interface BoardScope {
  readonly views: readonly View[];
  readonly tiedTo: readonly ReadonlySet<string>[];
  readonly unassigned: boolean;
}

/**
 * The owner filter and the caller's own scope: each is a set of users that must contain one of the contact's. Applications are
 * only in the list of all, where everything is checked. Source: decisions 6, "ownerFilter".
 */
function scope({ caller, users }: BoardViewer, { ownerFilter, owner }: BoardQuery): BoardScope {
  const reach = scopeAmong(caller, users);
  const owners = owner?.length ? new Set(owner) : ownedBy(ownerFilter, caller, users);
  return {
    views: [['all']],
    tiedTo: [reach.kind === 'users' ? reach.userIds : undefined, owners].filter((set) => set !== undefined),
    unassigned: !owner?.length && ownerFilter === 'unassigned',
  };
}

/** The same with the lists of the smallest set's users, if they are few: then only the other sets are checked. */
function scopeOfContacts(viewer: BoardViewer, query: BoardQuery): BoardScope {
  const { views, tiedTo, unassigned } = scope(viewer, query);
  const [smallest] = tiedTo.toSorted((a, b) => a.size - b.size);
  if (smallest === undefined || smallest.size > mergedViews) {
    return { views: unassigned ? [['unassigned']] : views, tiedTo, unassigned: false };
  }
  return {
    views: [...smallest].map((userId) => ['user', userId] as const),
    // A contact of one of the smallest set's users also satisfies every set that contains all of it.
    tiedTo: tiedTo.filter((set) => !smallest.isSubsetOf(set)),
    unassigned,
  };
}

function ownedBy(
  ownerFilter: string,
  { userId }: Caller,
  users: readonly User[],
): ReadonlySet<string> | undefined {
  switch (ownerFilter) {
    case 'all':
    case 'unassigned':
      return undefined;
    case 'my':
      return new Set([userId]);
    case 'team':
      return teamMembers(userId, users);
    default:
      return new Set([ownerFilter]);
  }
}

/** The first of these ranges that has an end. */
function rangeOf(zone: string, ...ranges: readonly (WrittenRange | undefined)[]): TimeRange | undefined {
  const bounded = ranges.find((range) => range?.start || range?.end);
  return bounded && timeRange(bounded, zone);
}

function directionOf(status: BoardQuery['messageStatus']): Direction | undefined {
  return status === 'answered' ? 'outbound' : status === 'unanswered' ? 'inbound' : undefined;
}

function silenceSince(
  { value, unit }: NonNullable<BoardQuery['lastMessageTimeRange']>,
  now: Date,
): Timestamp {
  return timestamp(after(now, -value * (unit === 'days' ? day : hour)));
}
