import { expect, test } from 'vitest';
import { type Progress, progressed } from '../../functions/messages/model/progress.ts';
import { reportedProgress } from '../../functions/messages/model/status-report.ts';
import type { Message } from '../../shared/conversations/conversation.ts';

const queued: Message = {
  _id: 'm',
  conversationId: 'c',
  contactId: 'c',
  direction: 'outbound',
  content: 'Hello',
  attachments: [],
  channel: 'sms',
  status: 'queued',
  sentBy: 'u',
  providerMessageId: null,
  createdAt: '2026-11-22T10:00:00.000Z',
};
const order = ['queued', 'sent', 'delivered', 'undelivered', 'failed', 'read'] as const;
const distances = { queued: 0, sent: 1, delivered: 2, undelivered: 2, failed: 2, read: 3 };

const report = (MessageStatus: string, minute: number, sid = 'SM1'): Progress => {
  const fields = { MessageSid: sid, MessageStatus, ErrorCode: '30003' };
  return reportedProgress(fields, `2026-11-22T10:${String(minute).padStart(2, '0')}:00.000Z`) as Progress;
};

/** A generator of numbers below a limit, the same for each seed. */
function numbers(seed: number) {
  let state = seed;
  return (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % limit;
  };
}

test('A message goes forward only, in 200 random orders of its reports', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const below = numbers(seed);
    const statuses = Array.from({ length: 3 + below(12) }, () => order[below(order.length)] ?? 'sent');
    let message = queued;
    let decided: string | undefined;
    for (const [minute, status] of statuses.entries()) {
      const before = message;
      message = progressed(before, report(status, minute));
      const [was, is] = [before, message].map((one) => distances[one.status as keyof typeof distances]);
      expect(is).toBeGreaterThanOrEqual(was ?? 0);
      expect(is).toBe(Math.max(was ?? 0, distances[status]));
      decided ??= distances[status] === 2 && is === 2 ? status : undefined;
      if (is === 2) {
        expect(message.status).toBe(decided);
      }
    }
    expect(message.failure !== undefined).toBe(['undelivered', 'failed'].includes(message.status));
    expect(message.providerMessageId).toBe('SM1');
  }
});

test('A message that is read was delivered then at the latest, whatever was reported before', () => {
  const read = progressed(progressed(queued, report('failed', 1)), report('read', 2));
  expect(read).toMatchObject({ status: 'read', deliveredAt: '2026-11-22T10:02:00.000Z' });
  expect(read.failure).toBeUndefined();
  const delivered = progressed(queued, report('delivered', 1));
  expect(progressed(delivered, report('read', 2)).deliveredAt).toBe('2026-11-22T10:01:00.000Z');
});

test('A message is not moved by reports about another try to send it', () => {
  const sent = progressed(queued, report('sent', 1));
  expect(progressed(sent, report('delivered', 2, 'SM2'))).toBe(sent);
});

test('A message that the provider has queued stays queued, has its id, and does not fail for waiting', () => {
  const taken = progressed(queued, report('accepted', 1));
  expect(taken).toEqual({ ...queued, providerMessageId: 'SM1' });
  expect(progressed(taken, report('sending', 2))).toBe(taken);
  const expired: Progress = {
    status: 'failed',
    failure: { code: 'EXPIRED', reason: 'Too late' },
    at: '2026-11-22T10:00:00.000Z',
  };
  expect(progressed(taken, expired)).toBe(taken);
  expect(progressed(taken, report('sent', 3)).status).toBe('sent');
});

test('A message that was sent does not fail because another try to send it failed', () => {
  const failed: Progress = {
    status: 'failed',
    failure: { code: 'EXPIRED', reason: 'Too late' },
    at: '2026-11-22T10:00:00.000Z',
  };
  const sent = progressed(queued, report('sent', 1));
  expect(progressed(sent, failed)).toBe(sent);
  expect(progressed(queued, failed).status).toBe('failed');
});

test.each(['partially_delivered', 'received', '', ' '])('A status of %j means nothing', (MessageStatus) => {
  expect(reportedProgress({ MessageSid: 'SM1', MessageStatus }, 'now')).toBeUndefined();
});
