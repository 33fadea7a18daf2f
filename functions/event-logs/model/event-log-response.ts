import * as z from 'zod/mini';
import { entityTypes, type LogEntry } from '../../../shared/events/log-entry.ts';
import { ActorResponse } from '../../../shared/kernel/schemas/actor-response.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';
import { logNames } from './event-entry.ts';

export const EventLogResponse = described(
  z.object({
    _id: anyString,
    event: z.enum(logNames),
    at: dateTime,
    actor: ActorResponse,
    entity: described(z.object({ type: z.enum(entityTypes), id: anyString }), {
      type: 'The kind of record.',
      id: 'The record, which may have been deleted. Of a phone number: the number.',
    }),
    changed: z.array(anyString),
    requestId: z.optional(anyString),
    count: z.optional(z.int()),
  }),
  {
    _id: 'Identifies the entry. Of an event: its id in live events, in the journal and in webhooks.',
    event: 'What happened.',
    at: 'When it happened. Of failed sign-ins: when the quarter of an hour began.',
    actor: 'Who did it.',
    entity: 'The record that it happened to.',
    changed: 'The names of the fields that changed, at most 100.',
    requestId: 'The header `x-request-id` of the response to the request that did it, if there was one.',
    count: 'Of failed sign-ins: how many there were in the quarter of an hour.',
  },
  { id: 'EventLog' },
);

export function toEventLogResponse({ failures, ...entry }: LogEntry): z.input<typeof EventLogResponse> {
  return { ...entry, changed: [...entry.changed], ...(failures && { count: failures.length }) };
}
