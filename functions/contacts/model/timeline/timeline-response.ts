import * as z from 'zod/mini';
import { type Caller, reaches } from '../../../../shared/kernel/caller.ts';
import { ActorResponse } from '../../../../shared/kernel/schemas/actor-response.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../../shared/kernel/schemas/fields.ts';
import { apiKeyKey } from '../../../../shared/organizations/api-key.ts';
import { displayName, fullName, userKey } from '../../../../shared/organizations/user.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Doer, type Names, type TimelineEntry, timelineTypes } from './entry.ts';

export const TimelineEntryResponse = described(
  z.object({
    _id: anyString,
    at: dateTime,
    type: z.enum(timelineTypes),
    actor: ActorResponse,
    summary: anyString,
    refs: z.record(anyString, anyString),
  }),
  {
    _id: 'The id of the entry.',
    at: 'When it happened.',
    type: 'What happened.',
    actor: 'Who did it, as far as it is known.',
    summary: 'What happened, in one English sentence. Texts in it are cut after 200 characters.',
    refs: 'The ids of what it is about, by what they are, such as `noteId`, `conversationId` and `messageId`, or `fromStageId` and `toStageId`.',
  },
  { id: 'TimelineEntry', description: 'Something that happened to a contact.' },
);

/**
 * The entries for a response, with the names of users and, for those who may list them, of API keys; in one round trip.
 */
export async function buildTimelineResponse(
  table: TableReader,
  { role }: Caller,
  entries: readonly TimelineEntry[],
): Promise<z.input<typeof TimelineEntryResponse>[]> {
  const userIds = [...new Set(entries.flatMap(({ actor, named }) => [...userIdsOf(actor), ...named]))];
  const mayList = reaches(role, 'ADMIN');
  const keyIds = [
    ...new Set(entries.flatMap(({ actor: { type, id } }) => (type === 'key' && id && mayList ? [id] : []))),
  ];
  const [users, keys] = await Promise.all([
    readAll(table, userIds.map(userKey), { consistent: false }),
    readAll(table, keyIds.map(apiKeyKey), { consistent: false }),
  ]);
  const userOf = new Map(userIds.map((id, index) => [id, users[index]?.data]));
  const keyNameOf = new Map(keyIds.map((id, index) => [id, keys[index]?.data.name]));
  const userName = (id: string) => displayName(userOf.get(id));
  return entries.map(({ _id, at, type, actor, refs, sentence }) => {
    const user = actor.type === 'user' && actor.id ? userOf.get(actor.id) : undefined;
    const name = actor.type === 'key' ? keyNameOf.get(actor.id ?? '') : user && fullName(user);
    return {
      ...{ _id, at, type },
      actor: { ...actor, ...(name !== undefined && { name }) },
      summary: sentence({ who: subjectOf(actor, name, userName), userName }),
      refs,
    };
  });
}

const userIdsOf = ({ type, id, userId }: Doer) =>
  [type === 'user' ? id : userId].filter((one) => one !== undefined);

/** The subject of a sentence about what somebody did. */
function subjectOf(
  { type, userId = '', name: known }: Doer,
  name = known,
  userName: Names['userName'],
): string {
  switch (type) {
    case 'user':
      return name ?? displayName(undefined);
    case 'key':
      return name === undefined ? `An API key of ${userName(userId)}` : `The API key “${name}”`;
    case 'workflow':
      return 'A workflow';
    case 'provider':
      return name === undefined ? 'A provider' : `The provider ${name}`;
    case 'lead':
      return 'A lead';
    case 'system':
      return 'The service';
  }
}
