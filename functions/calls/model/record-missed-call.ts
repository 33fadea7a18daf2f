import type { Call } from '../../../shared/calls/call.ts';
import { findOrCreateContactByPhone } from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { lockHolder } from '../../../shared/contact-aggregate/number-locks.ts';
import { userHere } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { readAhead } from '../../../shared/kernel/read-ahead.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import {
  defaultAssignment,
  type PhoneAssignment,
  readAssignments,
} from '../../../shared/organizations/phone-assignments.ts';
import { ended, newCall } from './call-states.ts';
import { toCounterparty } from './counterparty.ts';
import { counterpartyLock, placeholderContact } from './counterparty-address.ts';
import { readEarlierCalls } from './earlier-calls.ts';
import type { MissedCallPorts } from './missed-call-context.ts';
import { readMissedCallSettings } from './missed-call-settings.ts';
import { commitMissedCall } from './missed-call-writes.ts';
import { type CallContext, newCallBetween, newCallIds } from './new-call.ts';

/**
 * Records an inbound call that the user missed, to one of the user's numbers. The number is undefined if it was withheld.
 * @throws a 400 `Failure` when `to` is not an active number of the user.
 */
export async function recordMissedCall(
  { number, to }: { readonly number: string | undefined; readonly to: string | undefined },
  context: CallContext & MissedCallPorts,
): Promise<Call> {
  const { table, platform, trialPolicy, caller, now } = context;
  const ids = newCallIds(context);
  const at = timestamp(now);
  return table.optimistically(async () => {
    const [lock, assignments, settings] = await Promise.all([
      table.read(counterpartyLock({ number }, caller.userId)),
      readAssignments(table, caller.userId),
      readMissedCallSettings(table, trialPolicy),
    ]);
    const line = calledLine(assignments, to);
    const holder = lockHolder(lock);
    const earlier = holder === undefined ? undefined : readAhead(readEarlierCalls(table, holder, number));
    const creation = { id: ids.contact, creator: caller, owner: userHere(caller), at };
    return findOrCreateContactByPhone(
      table,
      { lock, at },
      (stageRef) => placeholderContact({ number }, 'inbound', stageRef, creation),
      async (contact) => {
        const between = { owner: userHere(caller), number };
        const counterparty = toCounterparty(table, contact, between, ids.conversation, at);
        const [provider, own] = [line?.provider ?? 'sdk', line?.phoneNumber];
        const sides = { direction: 'inbound', provider, number, own } as const;
        const call = ended(newCall(newCallBetween(sides, counterparty, ids, caller), now), 'no-answer', now);
        return commitMissedCall(
          { before: undefined, call, counterparty, earlier: await earlier, hasSender: own !== undefined },
          { table, platform, trialPolicy, settings, ids: ids.change, now },
        );
      },
    );
  });
}

function calledLine(
  assignments: readonly PhoneAssignment[],
  to: string | undefined,
): PhoneAssignment | undefined {
  if (to === undefined) {
    const line = defaultAssignment(assignments);
    return line?.isInboundEnabled ? line : undefined;
  }
  const line = assignments.find(({ phoneNumber, status }) => phoneNumber === to && status === 'active');
  if (line === undefined) {
    throw new Failure('INVALID', 'to must be one of your active phone numbers');
  }
  return line;
}
