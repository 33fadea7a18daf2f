import { expect, test } from 'vitest';
import type { Operator } from '../../../functions/workflows/model/definition/filter.ts';
import { holds, ruleHolds } from '../../../functions/workflows/model/execution/rules.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { contextWith, stateWith } from './step-context.ts';

const now = new Date('2026-11-22T12:00:00.000Z');

const context = contextWith({
  state: stateWith({
    firstName: 'Ada',
    email: null,
    source: 'Webshop',
    stageId: 'won',
    tags: ['VIP', 'new lead'],
    phoneNumbers: [{ value: '+4915112345678', label: '', isPrimary: true }],
    customFields: {
      boxes: 40,
      price: '12.50',
      wide: ' ２０．５ ',
      zip: '01067',
      mobile: '+5213312345678',
      renewal: '2026-12-24',
      isMember: true,
      'a.b': 'dotted',
      nested: { deep: [{ x: 'y' }] },
      nothing: null,
      blank: ' ',
      none: [],
      constructor: 'Built',
    },
    createdAt: '2026-11-20T23:30:00.000Z',
  }),
  pipelines: [
    {
      ...{ _id: 'p', organizationId: 'o', name: 'Sales', type: 'Contact', isActive: true },
      ...{ createdAt: '', updatedAt: '', stages: [{ _id: 'won', name: 'Won' }] },
    },
  ],
  // Clocks are an hour ahead of UTC there.
  hours: { ...businessHours.initial, timezone: 'Europe/Berlin' },
  event: { text: 'Yes, please', tags: ['a'] },
  steps: { 'ask.me': { status: 'passed', way: 'received' } },
});

test.each<[string, Operator, unknown, boolean]>([
  // Texts: neither case nor blanks around them matter.
  ['contact.source', 'equals', 'webshop', true],
  ['contact.source', 'equals', ' WEBSHOP ', true],
  ['contact.source', 'equals', 'web', false],
  ['contact.source', 'not_equals', 'webshop', false],
  ['contact.source', 'contains', 'SHOP', true],
  ['contact.source', 'starts_with', 'web', true],
  ['contact.source', 'starts_with', 'shop', false],
  ['contact.source', 'in', ['Import', 'webshop'], true],
  ['contact.source', 'in', 'webshop', true],
  ['contact.source', 'in', [], false],
  ['contact.stage', 'equals', 'won', true],
  ['contact.stageId', 'equals', 'won', true],
  ['contact.pipeline', 'equals', 'Sales', true],
  ['contact.fullName', 'equals', 'ada lovelace', true],
  ['contact.phone', 'starts_with', '+49', true],
  ['contact.optedOut', 'equals', false, true],
  ['contact.consent.sms', 'equals', 'in', true],
  // Lists: one member is enough.
  ['contact.tags', 'equals', 'vip', true],
  ['contact.tags', 'equals', ['NEW LEAD', 'vip'], true],
  ['contact.tags', 'equals', ['vip'], false],
  ['contact.tags', 'not_equals', 'vip', false],
  ['contact.tags', 'contains', 'vip', true],
  ['contact.tags', 'contains', 'vi', false],
  ['contact.tags', 'contains', ['vip', 'new lead'], true],
  ['contact.tags', 'contains', ['vip', 'x'], false],
  ['contact.tags', 'starts_with', 'new', true],
  ['contact.tags', 'in', ['x', 'vip'], true],
  ['contact.phoneNumbers', 'contains', '+4915112345678', true],
  ['contact.customFields.wide', 'equals', 20.5, true],
  ['contact.customFields.wide', 'gt', '２０', true],
  ['contact.customFields.boxes', 'in', ['４０'], true],
  // Phone numbers, in any notation. Source: decisions 6, "Phone numbers".
  ['contact.phone', 'equals', '+49 (0)151 12345678', true],
  ['contact.phone', 'equals', '0049-151/1234.5678', true],
  ['contact.phone', 'equals', 'tel:+49-151-12345678', true],
  ['contact.phone', 'equals', '+٤٩ ١٥١ ١٢٣٤٥٦٧٨', true],
  ['contact.phone', 'not_equals', '0049 151 12345678', false],
  ['contact.phone', 'in', ['+49 151 12345679', '+49 (0) 151 12345678'], true],
  ['contact.phone', 'equals', '+49 151 12345679', false],
  ['contact.phone', 'equals', '0151 12345678', false],
  ['contact.phoneNumbers', 'contains', '+49 (0)151 12345678', true],
  ['contact.phoneNumbers', 'in', ['+49 151 12345678'], true],
  ['contact.customFields.mobile', 'equals', '+52 33 1234 5678', true],
  // Numbers, also as texts; what looks like one is none if both sides are texts.
  ['contact.customFields.boxes', 'equals', '40', true],
  ['contact.customFields.boxes', 'equals', 40.0, true],
  ['contact.customFields.boxes', 'gt', '9', true],
  ['contact.customFields.boxes', 'gte', 40, true],
  ['contact.customFields.boxes', 'lt', 40, false],
  ['contact.customFields.boxes', 'lte', 40, true],
  ['contact.customFields.price', 'equals', 12.5, true],
  ['contact.customFields.price', 'gt', '9', true],
  ['contact.customFields.zip', 'equals', '1067', false],
  ['contact.customFields.boxes', 'gt', 'many', false],
  ['contact.customFields.boxes', 'lt', 'many', false],
  // Dates: one without a time is the whole day in the time zone of the organization.
  ['contact.createdAt', 'equals', '2026-11-21', true],
  ['contact.createdAt', 'equals', '2026-11-20', false],
  ['contact.createdAt', 'gte', '2026-11-21', true],
  ['contact.createdAt', 'gt', '2026-11-20', true],
  ['contact.createdAt', 'gt', '2026-11-21', false],
  ['contact.createdAt', 'lte', '2026-11-21', true],
  ['contact.createdAt', 'lt', '2026-11-21', false],
  ['contact.createdAt', 'lt', '2026-11-21T00:31', true],
  ['contact.createdAt', 'equals', '2026-11-21T01:30+02:00', true],
  ['contact.customFields.renewal', 'gt', '2026-11-22T12:00:00.000Z', true],
  ['contact.customFields.renewal', 'gt', '2026-02-30', false],
  // Yes and no.
  ['contact.customFields.isMember', 'equals', 'true', true],
  ['contact.customFields.isMember', 'equals', false, false],
  ['contact.isBulkImport', 'equals', false, true],
  ['businessHours.open', 'equals', true, true],
  // Custom fields, whatever they are called.
  ['contact.boxes', 'equals', 40, true],
  ['contact.customFields.a.b', 'equals', 'dotted', true],
  ['contact.customFields.nested.deep.0.x', 'equals', 'y', true],
  ['contact.customFields.constructor', 'equals', 'Built', true],
  ['contact.customFields.toString', 'exists', undefined, false],
  ['contact.__proto__', 'exists', undefined, false],
  // What is missing.
  ['contact.email', 'exists', undefined, false],
  ['contact.email', 'not_exists', undefined, true],
  ['contact.email', 'equals', '', true],
  ['contact.email', 'equals', null, true],
  ['contact.email', 'not_equals', 'x', true],
  ['contact.email', 'contains', 'x', false],
  ['contact.email', 'gt', 0, false],
  ['contact.email', 'lt', 0, false],
  ['contact.firstName', 'equals', '', false],
  ['contact.firstName', 'exists', undefined, true],
  ['contact.customFields.nothing', 'exists', undefined, false],
  ['contact.customFields.blank', 'exists', undefined, false],
  ['contact.customFields.none', 'exists', undefined, false],
  ['contact.customFields.nested', 'exists', undefined, true],
  ['contact.conversationAssignees', 'exists', undefined, false],
  // The event and earlier steps.
  ['event.text', 'starts_with', 'yes', true],
  ['event.tags', 'contains', 'a', true],
  ['event.other', 'exists', undefined, false],
  ['step.ask.me.way', 'equals', 'received', true],
  ['step.ask.way', 'exists', undefined, false],
])('%s %s %j: %j', (field, operator, value, expected) => {
  expect(ruleHolds({ field, operator, value }, { context, now })).toBe(expected);
});

// Source: CaseFolding.txt, C and F; Unicode Standard, D146; decisions 6, "search": conditions fold case, but keep accents.
test.each<[string, string, boolean]>([
  ['Straße', 'STRASSE', true],
  ['STRASSE', 'straße', true],
  ['STRAẞE', 'strasse', true],
  ['Gro\u017fs', 'GROSS', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['İzmir', 'i\u0307ZMIR', true],
  ['\u01f0', 'J\u030c', true],
  ['\u0149', '\u02bcN', true],
  ['ᾳ', 'ΑΙ', true],
  ['և', 'ԵՒ', true],
  ['Ꭰ', 'ꭰ', true],
  ['\u212a', 'k', true],
  ['\u212b', 'å', true],
  ['ﬁsch', 'FISCH', true],
  ['An\u00adna', 'anna', true],
  ['❤\ufe0f', '❤', true],
  ['\u200bvip\u200b ', 'VIP', true],
  ['Cafe\u0301', 'CAFÉ', true],
  ['José', 'jose', false],
  ['й', 'и', false],
  ['ırmak', 'irmak', false],
  ['Łukasz', 'lukasz', false],
  ['O’Brien', "O'Brien", false],
  ['a  b', 'a b', false],
])('A condition compares "%s" with "%s" without case: %j', (found, wanted, isSame) => {
  const source = { context: { ...context, event: { text: found, list: [found] } }, now };
  const operators: [string, Operator, unknown][] = [
    ['event.text', 'equals', wanted],
    ['event.text', 'in', ['other', wanted]],
    ['event.text', 'contains', wanted],
    ['event.text', 'starts_with', wanted],
    ['event.list', 'contains', wanted],
    ['event.list', 'equals', [wanted]],
  ];
  for (const [field, operator, value] of operators) {
    expect(ruleHolds({ field, operator, value }, source)).toBe(isSame);
  }
});

test('Of a contact that is gone nothing is known', () => {
  const gone = { context: { ...context, state: undefined }, now };
  expect(ruleHolds({ field: 'contact.firstName', operator: 'exists' }, gone)).toBe(false);
  expect(ruleHolds({ field: 'event.text', operator: 'exists' }, gone)).toBe(true);
});

test('All rules must hold, or any, and no rules always do', () => {
  const yes = { field: 'event.text', operator: 'exists' } as const;
  const no = { field: 'event.other', operator: 'exists' } as const;
  const asked = (match: 'all' | 'any', ...filter: (typeof yes | typeof no)[]) =>
    holds({ filter, match }, { context, now });
  expect([asked('all'), asked('any')]).toEqual([true, true]);
  expect([asked('all', yes, yes), asked('all', yes, no)]).toEqual([true, false]);
  expect([asked('any', yes, no), asked('any', no, no)]).toEqual([true, false]);
});
