import { describe, expect, test } from 'vitest';
import {
  ended,
  firstReported,
  type NewCall,
  type Report,
  reported,
  startedCall,
} from '../../functions/calls/model/call-states.ts';
import {
  type Call,
  type CallStatus,
  callStatuses,
  finalStatuses,
  isMissed,
} from '../../shared/calls/call.ts';
import { after, second } from '../../shared/kernel/time.ts';
import { randomness } from '../harness/randomness.ts';

const start = new Date('2026-11-20T09:00:00.000Z');
const at = (seconds: number) => after(start, seconds * second);

const between: NewCall = {
  ...{ _id: 'call', provider: 'twilio', providerCallId: 'CA1', direction: 'inbound' },
  ...{ number: '+13035550100', own: '+12025550142', contactId: 'contact', conversationId: 'conversation' },
  ...{ organizationId: 'organization', userId: 'user' },
};

const report = (status: CallStatus, seconds = 0, duration?: number): Report => ({
  status,
  at: at(seconds),
  seconds: duration,
});

/** The call after these reports, a second apart. */
const afterReports = (statuses: readonly CallStatus[]) =>
  statuses
    .slice(1)
    .reduce(
      (call, status, index) => reported(call, report(status, index + 1)),
      firstReported(between, report(statuses[0] ?? 'initiated')),
    );

const stageOf = (status: CallStatus) => Math.min(3, callStatuses.indexOf(status));

describe('Reports of a provider', () => {
  test.each(callStatuses.flatMap((from) => callStatuses.map((to) => [from, to] as const)))(
    'A report of a call that is %s tells that it is %s only if that is further',
    (from, to) => {
      const before = afterReports([from]);
      const result = reported(before, report(to, 60));
      if (stageOf(to) <= stageOf(before.status)) {
        expect(result).toBe(before);
      } else {
        const cannotFollow = from === 'answered' && ['no-answer', 'busy', 'canceled'].includes(to);
        expect(result.status).toBe(cannotFollow ? 'completed' : to);
        expect(result.updatedAt).toBe(at(60).toISOString());
      }
    },
  );

  test('A report that a call was completed means that it was answered, `CallDuration` seconds before its end', () => {
    const ringing = afterReports(['initiated', 'ringing']);
    expect(reported(ringing, report('completed', 60, 45))).toMatchObject({
      answerTime: at(15).toISOString(),
      endTime: at(60).toISOString(),
      duration: 60,
    });
    // It cannot have been answered before it began.
    expect(reported(ringing, report('completed', 60, 600))).toMatchObject({
      answerTime: at(0).toISOString(),
    });
  });

  test('A report that waited and is older than the beginning lets no call end before it began', () => {
    expect(reported(afterReports(['ringing']), report('no-answer', -5))).toMatchObject({
      endTime: at(0).toISOString(),
      duration: 0,
    });
  });
});

describe('The end of a call by its user', () => {
  /** An inbound one is answered from its beginning. */
  const begun = (direction: Call['direction']) => startedCall({ ...between, direction }, start);

  test.each([
    [0, 0],
    [999, 0],
    [1_000, 1],
    [59_999, 59],
    [3_500_999, 3_500],
    [-50, 0],
  ])(
    'A call that ends after %i ms lasts "end minus start in seconds", whole ones: %i',
    (milliseconds, duration) => {
      const call = ended(begun('inbound'), 'completed', at(milliseconds / second));
      expect(call).toMatchObject({
        duration,
        endTime: at(Math.max(0, milliseconds / second)).toISOString(),
      });
    },
  );

  test.each(finalStatuses)('A call that was not answered can end as %s', (status) => {
    const call = ended(begun('outbound'), status, at(1));
    expect(call).toMatchObject({ status, startTime: start.toISOString() });
    expect(call).not.toHaveProperty('answerTime');
  });

  // Source: decisions 8, "after `answered` only `completed`, `failed` or `voicemail`; … else 409".
  test.each(finalStatuses)(
    'A call that was answered ends as %s only if that can follow an answer',
    (status) => {
      const call = begun('inbound');
      const end = () => ended(call, status, at(1));
      if (['completed', 'failed', 'voicemail'].includes(status)) {
        expect(end()).toMatchObject({ status, answerTime: call.answerTime });
      } else {
        expect(end).toThrow(
          `The call was answered, so it cannot end as ${status}, only as completed, failed or voicemail.`,
        );
      }
    },
  );
});

/** Whatever the order: what is known of every call. */
function expectWhole(call: Call): void {
  const isOver = (finalStatuses as readonly CallStatus[]).includes(call.status);
  expect(call.endTime !== undefined).toBe(isOver);
  expect(call.duration !== undefined).toBe(isOver);
  expect(isMissed(call)).toBe(isOver && call.answerTime === undefined);
  if (call.status === 'completed' || call.status === 'answered') {
    expect(call.answerTime).toBeDefined();
  }
  if (call.endTime !== undefined) {
    expect(Date.parse(call.endTime)).toBeGreaterThanOrEqual(Date.parse(call.answerTime ?? call.startTime));
  }
}

test('Each of 2,000 random series of reports leaves a complete call whose status never went back', () => {
  const random = randomness(11);
  for (let count = 0; count < 2_000; count += 1) {
    const statuses = Array.from({ length: 2 + random.below(8) }, () => random.pick(callStatuses));
    let call = afterReports(statuses.slice(0, 1));
    for (const [index, status] of statuses.slice(1).entries()) {
      const next = reported(call, report(status, index + 1));
      expect(stageOf(next.status)).toBeGreaterThanOrEqual(stageOf(call.status));
      if (call.endTime !== undefined) {
        expect(next).toBe(call);
      }
      call = next;
      expectWhole(call);
    }
  }
});
