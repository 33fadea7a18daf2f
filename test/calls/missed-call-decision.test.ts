import { describe, expect, test } from 'vitest';
import { decideMissedCall, type MissedCall } from '../../shared/calls/decide-missed-call.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { placeholderFields } from '../../shared/contacts/placeholder-contact.ts';
import { missedCallText } from '../../shared/messages/missed-call-text.ts';
import { businessHours } from '../../shared/organizations/business-hours.ts';
import { type MissedCallPolicy, missedCallPolicy } from '../../shared/organizations/missed-call-policy.ts';
import { storedContact } from '../contacts/stored-contact.ts';

const hours = {
  ...businessHours.initial,
  businessHours: { monday: { enabled: true, start: '09:00', end: '17:00' } },
};
const open = new Date('2026-11-23T10:00Z');
const closed = new Date('2026-11-23T17:00Z');
const nextOpening = new Date('2026-11-30T09:00Z');

function decision(call: Partial<MissedCall> = {}, policy: Partial<MissedCallPolicy> = {}) {
  return decideMissedCall({
    policy: { ...missedCallPolicy.initial, ...policy },
    hours,
    isSwitchedOn: true,
    text: 'Sorry',
    hasNumbers: true,
    hasOptedOut: false,
    lastText: undefined,
    at: open,
    ...call,
  });
}

const sent = (reason: string) => ({ outcome: 'sent', reason });
const skipped = (reason: string) => ({ outcome: 'skipped', reason });
const scheduled = { outcome: 'scheduled', reason: 'closed', at: nextOpening };

describe('Texts for missed calls', () => {
  test.each([
    ['always', 'skip', sent('open'), sent('closed')],
    ['always', 'at_opening', sent('open'), sent('closed')],
    ['business_hours', 'skip', sent('open'), skipped('closed')],
    ['business_hours', 'at_opening', sent('open'), scheduled],
    ['outside_business_hours', 'skip', skipped('open'), sent('closed')],
    ['outside_business_hours', 'at_opening', skipped('open'), sent('closed')],
  ] as const)(
    'The text for a missed call follows the policy %s, otherwise %s',
    (sendWhen, otherwise, whileOpen, whileClosed) => {
      expect(decision({ at: open }, { sendWhen, otherwise })).toEqual(whileOpen);
      expect(decision({ at: closed }, { sendWhen, otherwise })).toEqual(whileClosed);
    },
  );

  test('The text for a missed call is skipped where there is no next opening to wait for', () => {
    const never = { ...hours, businessHours: {} };
    const policy = { sendWhen: 'business_hours', otherwise: 'at_opening' } as const;
    expect(decision({ hours: never }, policy)).toEqual(skipped('closed'));
  });

  test('The text for a missed call is skipped for the first reason that holds', () => {
    const all = {
      isSwitchedOn: false,
      text: ' \n',
      hasNumbers: false,
      hasOptedOut: true,
      at: closed,
      lastText: { callId: 'earlier', at: closed.toISOString() },
    };
    const policy = { sendWhen: 'business_hours' } as const;
    expect(decision(all, policy)).toEqual(skipped('switched_off'));
    expect(decision({ ...all, isSwitchedOn: true }, policy)).toEqual(skipped('no_message'));
    const withText = { ...all, isSwitchedOn: true, text: 'Sorry' };
    expect(decision(withText, policy)).toEqual(skipped('no_number'));
    expect(decision({ ...withText, hasNumbers: true }, policy)).toEqual(skipped('opted_out'));
    const willing = { ...withText, hasNumbers: true, hasOptedOut: false };
    expect(decision(willing, policy)).toEqual(skipped('closed'));
    expect(decision(willing)).toEqual(skipped('cooldown'));
    expect(decision({ ...willing, lastText: undefined })).toEqual(sent('closed'));
  });
});

describe('Filling the missed-call message', () => {
  const callerWith = (fields: Partial<StoredContact>) => ({ contact: storedContact(fields), pipelines: [] });
  const named = { ...placeholderFields('message', '+15550100'), firstName: 'Ada', lastName: 'L.' };
  const ada = callerWith({ ...named, customFields: { city: 'London' } });
  const unknown = callerWith({ email: null, ...placeholderFields('inbound call', '+15550100') });

  test.each([
    ['Sorry we missed you, {{contactName}}.', 'Sorry we missed you, Ada L..', 'Sorry we missed you.'],
    ['Hi {{firstName}}, we call back.', 'Hi Ada, we call back.', 'Hi, we call back.'],
    ['{{firstName}}, we call {{phone}} back.', 'Ada, we call +15550100 back.', 'we call +15550100 back.'],
    ['Dear {{firstName}} {{lastName}} of {{city}}!', 'Dear Ada L. of London!', 'Dear of!'],
    ['{{contactName}}', 'Ada L.', ''],
    [' As it is, {contactName} ', ' As it is, {contactName} ', ' As it is, {contactName} '],
  ])(
    'The missed-call message %j is filled for those who are known, and short for those who are not',
    (template, known, short) => {
      expect(missedCallText(template, ada)).toBe(known);
      expect(missedCallText(template, unknown)).toBe(short);
    },
  );

  test('The missed-call message has at most 1,600 characters once it is filled', () => {
    const customFields = { story: '😀'.repeat(2_000) };
    expect(missedCallText('{{story}}', callerWith({ ...named, customFields }))).toBe('😀'.repeat(1_600));
  });
});
