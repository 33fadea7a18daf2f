import type { toCallResponse } from '../../shared/calls/call.ts';
import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus, newPhoneNumber } from '../harness/tenants.ts';

export type CallRecord = ReturnType<typeof toCallResponse>;

type Fields = Record<string, unknown>;

export type CallsClient = ReturnType<typeof callsClient>;

/** The operations on calls, as one person uses them. */
export function callsClient(product: Product, { token }: Person, headers: Record<string, string> = {}) {
  const call = (name: string, more: Call) => product.call(name, { token, headers, ...more });
  const answer = (callerNumber: string, at?: Date) =>
    call('answer-inbound-call', { body: { callerNumber }, at });
  const dial = (body: Fields, at?: Date) => call('start-outbound-call', { body, at });
  const miss = (body: Fields, at?: Date) => call('record-missed-call', { body, at });
  const list = (query: Record<string, string> = {}) => call('list-calls', { query });
  return {
    answer,
    dial,
    miss,
    take: (callId: string, at?: Date) => call('answer-call', { path: { callId }, at }),
    end: (callId: string, body: Fields = {}, at?: Date) => call('end-call', { path: { callId }, body, at }),
    read: (callId: string) => call('read-call', { path: { callId } }),
    list,
    discard: (callId: string, body: Fields = {}) => call('discard-call', { path: { callId }, body }),
    /** An inbound call that must be recorded. */
    answered: async (callerNumber = newPhoneNumber(), at?: Date): Promise<CallRecord> =>
      expectStatus(await answer(callerNumber, at), 201).call,
    /** An outbound call that must be recorded. */
    dialed: async (body: Fields, at?: Date): Promise<CallRecord> =>
      expectStatus(await dial(body, at), 201).call,
    /** A missed call that must be recorded. */
    missed: async (body: Fields, at?: Date): Promise<CallRecord> =>
      expectStatus(await miss(body, at), 201).call,
    /** Ids of the calls that a query finds, page by page. */
    ids: async (query?: Record<string, string>) =>
      (await everyPage<CallRecord>(list, query)).map(({ _id }) => _id),
  };
}

/** A call that a person has answered, from a number that was unknown. */
export function newCall(product: Product, person: Person): Promise<CallRecord> {
  return callsClient(product, person).answered();
}

/** The outcome of a call that fails, in the shape of the family `calls`. */
export const callFailure = (status: number, error: unknown) => ({ status, body: { success: false, error } });

/** In the order of the specification. Source: specification, "Call". */
const callKeys = [
  ...['_id', 'callId', 'provider', 'providerCallId', 'direction', 'status', 'from', 'to'],
  ...['contactId', 'conversationId', 'organizationId', 'userId', 'providerPhoneNumber'],
  ...['startTime', 'answerTime', 'endTime', 'duration', 'recordings', 'createdAt', 'updatedAt'],
];

/** The keys of a call without values for these. Source: decisions 8, "A field without a value is left out, never `null`". */
export const keysWithout = (...left: string[]) => callKeys.filter((key) => !left.includes(key));

/** Five ways to write one number. */
export function numberSpellings(value: string): string[] {
  const digits = value.slice(1);
  const [country, area, rest] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)];
  return [
    value,
    `00${digits}`,
    `+${country} (${area}) ${rest}`,
    `+${country}-${area}.${rest}`,
    ` 00 ${country} ${area} ${rest} `,
  ];
}
