import type { toCallResponse } from '../../shared/calls/call.ts';
import type { Answer, Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/world.ts';

export type CallRecord = ReturnType<typeof toCallResponse>;

/** The operations on calls, as one person uses them. */
export interface Phone {
  answer(callerNumber: string, at?: Date): Promise<Answer>;
  dial(body: Record<string, unknown>, at?: Date): Promise<Answer>;
  end(callId: string, body?: Record<string, unknown>, at?: Date): Promise<Answer>;
  read(callId: string): Promise<Answer>;
  list(query?: Record<string, string>): Promise<Answer>;
  discard(callId: string, body?: Record<string, unknown>): Promise<Answer>;
  /** An inbound call that must be recorded. */
  answered(callerNumber?: string, at?: Date): Promise<CallRecord>;
  /** An outbound call that must be recorded. */
  dialed(body: Record<string, unknown>, at?: Date): Promise<CallRecord>;
  /** Ids of the calls that a query finds, page by page. */
  ids(query?: Record<string, string>): Promise<string[]>;
}

export function phoneOf(product: Product, { token }: Person, headers: Record<string, string> = {}): Phone {
  const call = (name: string, more: object, at?: Date) =>
    product.call(name, { token, headers, ...more, ...(at === undefined ? {} : { at }) });
  const answer = (callerNumber: string, at?: Date) =>
    call('answer-inbound-call', { body: { callerNumber } }, at);
  const dial = (body: Record<string, unknown>, at?: Date) => call('start-outbound-call', { body }, at);
  const list = (query: Record<string, string> = {}) => call('list-calls', { query });
  return {
    answer,
    dial,
    end: (callId, body = {}, at) => call('end-call', { path: { callId }, body }, at),
    read: (callId) => call('read-call', { path: { callId } }),
    list,
    discard: (callId, body = {}) => call('discard-call', { path: { callId }, body }),
    answered: async (callerNumber = newPhoneNumber(), at) =>
      expectStatus(await answer(callerNumber, at), 201).call,
    dialed: async (body, at) => expectStatus(await dial(body, at), 201).call,
    async ids(query = {}) {
      const found: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = expectStatus(await list({ ...query, ...(cursor === undefined ? {} : { cursor }) }), 200);
        found.push(...page.data.map(({ _id }: CallRecord) => _id));
        cursor = page.nextCursor;
      }
      return found;
    },
  };
}

/** A call that a person has answered, from a number that was unknown. */
export function callOf(product: Product, person: Person): Promise<CallRecord> {
  return phoneOf(product, person).answered();
}

/** Source: specification, "Call". */
export const callKeys = [
  ...['_id', 'callId', 'provider', 'providerCallId', 'direction', 'status', 'from', 'to'],
  ...['contactId', 'conversationId', 'organizationId', 'userId', 'providerPhoneNumber'],
  ...['startTime', 'answerTime', 'endTime', 'duration', 'recordings', 'createdAt', 'updatedAt'],
];

/** Five ways to write one number. */
export function spellingsOf(value: string): string[] {
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
