import * as z from 'zod/mini';
import { needsUsers } from '../../shared/board/board-plan.ts';
import { BoardQuery } from '../../shared/board/board-query.ts';
import { comparePlaces, type TimeOrder } from '../../shared/column-index/ordered-matches.ts';
import { removalReasons } from '../../shared/contact-aggregate/removed-contacts.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { settledBefore, settlingTime } from '../../shared/events/event-log.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { parsed } from '../../shared/kernel/http/invalid.ts';
import { JsonText } from '../../shared/kernel/http/json-text.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery, QueryFlag } from '../../shared/kernel/schemas/paging.ts';
import { second } from '../../shared/kernel/time.ts';
import { readUsers, scopeAmong } from '../../shared/organizations/visibility.ts';
import { parseMoment, QueryMoment } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { type ListItem, readContactList } from './model/contact-list.ts';
import {
  copyName,
  isOfCopy,
  type ListCursor,
  listCursorText,
  notOfThisList,
  requireKept,
  requireListCursor,
  resyncRequired,
} from './model/list-cursor.ts';
import { readRemovedItems } from './model/removed-items.ts';

const { search, pipelineId, ownerFilter, owner, tags, tagsAll, source, stages } = BoardQuery.shape;
const sorts = ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt'] as const;

const RemovedContactResponse = described(
  z.object({
    _id: anyString,
    deletedAt: dateTime,
    reason: z.enum(removalReasons),
    mergedInto: z.exactOptional(anyString),
  }),
  {
    _id: 'The id of the contact.',
    deletedAt: 'When it went.',
    reason:
      '`deleted`, `merged` into another one, `archived`, or `out_of_scope`: taken from everybody whose contacts you may see.',
    mergedInto: 'The contact that it became part of; only for `merged`.',
  },
  { id: 'RemovedContact', description: 'A contact that you could see until it went.' },
);

export default operation({
  route: 'GET /api/contacts',
  summary: 'List contacts, filtered and in the order of time',
  description: [
    `With the board's search and filters, of all Contact pipelines unless \`pipelineId\` names one. Lists are repeated: \`tags=a&tags=b\`. Archived contacts are left out.`,
    `**To keep a copy**, read with \`updatedSince\`: in the order of updates, oldest first, also those that the updates move. A contact appears ${settlingTime / second} seconds after its update, when none with an earlier one can still come: nothing is missed. \`nextCursor\` is never null then; a page that is not full was the last for now: ask with the same cursor later. [Contacts](#/Contacts) says more. 410 with \`code: 'RESYNC_REQUIRED'\`: read everything again.`,
    'Draws on the read budget of your user, as boards do.',
  ].join('\n\n'),
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object({
    ...{ search, pipelineId, stage: stages, owner, ownerFilter, tags, tagsAll, source },
    updatedSince: z.optional(QueryMoment),
    withDeleted: z.optional(QueryFlag),
    sort: z.optional(z.enum(sorts)),
    ...pageQuery,
  }),
  descriptions: {
    search: 'Text to find in the name or a phone number, as on the board.',
    pipelineId: 'Only contacts of this Contact pipeline.',
    stage: 'Only contacts in one of these stages, each by id or by name in any case.',
    owner:
      'User ids: only contacts that one of them created, owns or is assigned to. Overrides `ownerFilter`.',
    ownerFilter: '`my`, `all`, `team`, `unassigned`, or the id of a user.',
    tags: 'Only contacts with one of these tags, in any case.',
    tagsAll: 'Only contacts with all of these tags, in any case.',
    source: 'Only contacts with this source, in any case.',
    updatedSince:
      'Only contacts updated at this time or later; without an offset, in the time zone of the organization. Not needed beside a cursor.',
    withDeleted:
      'With `updatedSince`, also `RemovedContact`s: those that you could see until they went, of the last 30 days.',
    sort: 'By default `-createdAt`, the newest first; with `updatedSince` always `updatedAt`.',
    ...pageDescriptions,
  },
  output: listResponse(z.union([ContactResponse, RemovedContactResponse])),
  failures: ['NOT_FOUND', 'RESYNC_REQUIRED', 'TOO_MANY_ATTEMPTS'],
  limits: [readPolicy],
  detailedFailures: [
    {
      example: resyncRequired('The cursor is more than 30 days old.'),
      details: { code: { description: 'Always the same.', enum: ['RESYNC_REQUIRED'] } },
    },
  ],
  example: { query: { search: 'ada', sort: '-updatedAt' } },
  uses: { table: 'read', rateLimits: 'limit' },
  async run({ query }, { table, rateLimits, caller, now }) {
    const { updatedSince, withDeleted = false, sort, limit, cursor, stage, ...filters } = query;
    const from = cursor === undefined ? undefined : requireListCursor(cursor);
    const isCopy = updatedSince !== undefined || isOfCopy(from);
    const sorted = isCopy ? 'updatedAt' : (sort ?? '-createdAt');
    requireMatching(query, isCopy);
    if (from !== undefined && (isCopy ? !isOfCopy(from) : from.of !== sorted)) {
      throw notOfThisList();
    }
    return rateLimits.limitReads(caller.userId, async () => {
      const asked = parsed(BoardQuery, filters, 'query');
      const [pipelines, users, zone] = await Promise.all([
        readPipelines(table),
        needsUsers(caller, asked) ? readUsers(table) : [],
        readZoneFor(table, updatedSince),
      ]);
      const scope = scopeAmong(caller, users);
      const of = isCopy ? copyName(scope) : sorted;
      if (isCopy && from !== undefined) {
        requireKept(from, now, of);
      }
      const since = from ?? (updatedSince && { time: parseMoment(updatedSince, zone).getTime(), id: '' });
      const settled = settledBefore(now).getTime();
      const order: TimeOrder = {
        by: sorted.endsWith('createdAt') ? 'createdAt' : 'updatedAt',
        descending: sorted.startsWith('-'),
        after: since || undefined,
        before: isCopy ? settled : undefined,
        limit: limit + 1,
      };
      const request = { query: asked, stages: stage, pipelines, viewer: { caller, users, zone }, order, now };
      const [contacts, removed] = await Promise.all([
        readContactList(table, request),
        withDeleted ? readRemovedItems(table, scope, order) : [],
      ]);
      const items = mergedItems(contacts, removed, order);
      const page = items.slice(0, limit);
      const completeAt = isCopy ? (from?.completeAt ?? settled) : 0;
      const last = items.length > limit ? page.at(-1) : undefined;
      const next = last ? { ...last, of, completeAt } : isCopy ? bookmarkAt(order, settled, of) : undefined;
      const nextCursor = JSON.stringify(next ? listCursorText(next) : null);
      const data = page.map(({ text }) => text).join();
      return new JsonText(`{"success":true,"data":[${data}],"nextCursor":${nextCursor}}`);
    });
  },
});

/** @throws a 400 `Failure` for parameters that do not go together. */
function requireMatching(
  { sort, withDeleted }: { readonly sort?: string | undefined; readonly withDeleted?: boolean | undefined },
  isCopy: boolean,
): void {
  if (isCopy && sort !== undefined && sort !== 'updatedAt') {
    throw new Failure('INVALID', 'sort must be updatedAt with updatedSince.');
  }
  if (withDeleted && !isCopy) {
    throw new Failure('INVALID', 'withDeleted needs updatedSince.');
  }
}

/** In their order. What went and is there again is there. */
function mergedItems(
  contacts: readonly ListItem[],
  removed: readonly ListItem[],
  { descending }: TimeOrder,
): ListItem[] {
  const shown = new Set(contacts.map(({ time, id }) => `${time} ${id}`));
  return [...contacts, ...removed.filter(({ time, id }) => !shown.has(`${time} ${id}`))].sort((one, other) =>
    comparePlaces(one, other, descending),
  );
}

/** The bookmark of a reader who knows all up to a time. */
function bookmarkAt({ after = { time: 0, id: '' } }: TimeOrder, settled: number, of: string): ListCursor {
  const place = after.time < settled ? { time: settled, id: '' } : after;
  return { ...place, of, completeAt: settled };
}
