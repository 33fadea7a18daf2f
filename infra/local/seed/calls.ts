import { listedSteps } from '../../../functions/calls/model/call-entries.ts';
import { type Call, callKey, ended, type FinalStatus, startedCall } from '../../../shared/calls/call.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { childId, primaryNumber } from '../../../shared/contacts/contact.ts';
import type { Conversation, Direction } from '../../../shared/conversations/conversation.ts';
import { newConversation } from '../../../shared/conversations/conversation.ts';
import { after, minute, second, timestamp } from '../../../shared/kernel/time.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { peopleOf } from '../../../shared/visibility.ts';
import type { Exchanged } from './correspondence.ts';
import { numbers } from './organization.ts';
import type { Randomness } from './randomness.ts';

/** The calls with a contact, and the voice conversation that they began, if there was none before. */
export interface Called {
  readonly conversations: readonly Conversation[];
  readonly calls: readonly Call[];
}

/** How calls end, and how many seconds they take at most. */
const endings: Record<Direction, readonly (readonly [FinalStatus, number])[]> = {
  inbound: [
    ['completed', 900],
    ['completed', 300],
    ['completed', 60],
    ['failed', 20],
  ],
  outbound: [
    ['completed', 900],
    ['completed', 120],
    ['no-answer', 45],
    ['voicemail', 60],
    ['busy', 5],
    ['canceled', 15],
  ],
};

/** Calls of those whose contact it is: with whoever speaks of calls, and with some of the others. */
export function called(
  contact: StoredContact,
  exchanged: readonly Exchanged[],
  users: ReadonlyMap<string, User>,
  now: Date,
  random: Randomness,
): Called {
  const number = primaryNumber(contact.phoneNumbers);
  const known = exchanged.find(({ conversation }) => conversation.channel === 'voice')?.conversation;
  const madeByCall = placeholderDirection(contact);
  const isCalled = madeByCall !== undefined || random.chance(known === undefined ? 0.15 : 0.9);
  if (number === undefined || !isCalled) {
    return { conversations: [], calls: [] };
  }
  // What a call has made is there since that call.
  const from = Date.parse(known?.createdAt ?? contact.createdAt);
  const until = after(now, -20 * minute).getTime();
  const count = madeByCall === undefined ? random.pick([1, 1, 2, 3]) : 1;
  const starts = Array.from({ length: count }, () =>
    madeByCall === undefined ? from + Math.floor(Math.max(0, until - from) * random.next()) : from,
  ).sort((a, b) => a - b);
  const first = new Date(starts[0] ?? from);
  const userId = madeByCall === undefined ? random.pick(peopleOf(contact)) : contact.createdBy;
  const own = numbers[users.get(userId)?.email ?? '']?.[0]?.phoneNumber ?? null;
  const conversation =
    known ??
    newConversation(childId(contact._id, random.idAt(first)), contact, 'voice', userId, timestamp(first));
  return {
    conversations: known === undefined ? [conversation] : [],
    calls: starts.map((start) => {
      const direction = madeByCall ?? random.pick(['inbound', 'outbound']);
      const counterparty = { userId, own, number, conversationId: conversation._id };
      return call(contact, counterparty, direction, new Date(start), random);
    }),
  };
}

/** The steps that write calls. */
export function callSteps(table: TableWriter, calls: readonly Call[]): Step[] {
  return calls.flatMap((one) => [table.add(callKey(one._id), one), ...listedSteps(table, one, true)]);
}

function placeholderDirection({ firstName }: StoredContact): Direction | undefined {
  switch (firstName) {
    case 'Unknown Caller':
      return 'inbound';
    case 'New Contact':
      return 'outbound';
    default:
      return undefined;
  }
}

interface Counterparty {
  readonly userId: string;
  /** The number of the user. */
  readonly own: string | null;
  /** The number of the contact. */
  readonly number: string;
  readonly conversationId: string;
}

function call(
  contact: StoredContact,
  { userId, own, number, conversationId }: Counterparty,
  direction: Direction,
  start: Date,
  random: Randomness,
): Call {
  const [status, longest] = random.pick(endings[direction]);
  const begun = startedCall(
    {
      _id: childId(contact._id, random.idAt(start)),
      provider: own === null ? 'sdk' : 'twilio',
      direction,
      number,
      own,
      contactId: contact._id,
      conversationId,
      organizationId: contact.organizationId,
      userId,
    },
    timestamp(start),
  );
  // Some browser is closed before it can tell that its call is over.
  return random.chance(0.05)
    ? begun
    : ended(begun, status, after(start, (2 + random.below(longest)) * second));
}
