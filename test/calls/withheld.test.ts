import { expect, test } from 'vitest';
import { isWithheld } from '../../shared/contacts/withheld.ts';

// "A withheld caller (`anonymous, restricted, unavailable, unknown`, any case)".
test.each([
  ...['anonymous', 'ANONYMOUS', 'Restricted', 'unavailable', ' Unknown ', ''],
  // The same words on the keys of a telephone, as Twilio reports them.
  ...['+266696687', '+7378742833', '+86282452253', '+8656696', '+656667', '266696687'],
  // RFC 3323, 4.1.1.3; RFC 3966.
  ...[
    'sip:anonymous@anonymous.invalid',
    'SIPS:Anonymous@anonymous.invalid',
    'sip:+266696687@example.com',
    'tel:anonymous',
  ],
])('A caller called %j withheld the number', (address) => {
  expect(isWithheld(address)).toBe(true);
});

test.each([
  '+13035550100',
  'anonymously',
  'sip:unknown@example.com',
  'client:ada',
  'sip:anonymous@example.com',
  '+2666966871',
])('A caller called %j did not withhold the number', (address) => {
  expect(isWithheld(address)).toBe(false);
});
