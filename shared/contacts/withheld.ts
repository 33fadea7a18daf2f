/** How providers and phones name a caller who withheld the number. */
const words = ['anonymous', 'restricted', 'unavailable', 'unknown'] as const;

/** Letters by the key of a telephone that has them, from 2 on. */
const keys = ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'];

/** A word as it is dialed: Twilio reports an anonymous caller as `+266696687`. */
function dialed(word: string): string {
  return `+${[...word].map((letter) => keys.findIndex((key) => key.includes(letter)) + 2).join('')}`;
}

/** Source: decisions 10, "SMS webhook, never lost for a detail", which has the last one beside the dialed words. */
const numbers: ReadonlySet<string> = new Set([...words.map(dialed), '+656667']);
const names: ReadonlySet<string> = new Set(words);

/** Whether a number (E.164) says only that a caller withheld theirs: nobody has it. */
export const isWithheldNumber = (number: string): boolean => numbers.has(number);

/** Whether a caller withheld the number: no address at all, or one of the names for it, in any case. */
export function isWithheld(address: string): boolean {
  const written = address.trim().toLowerCase();
  // A user of a host may be called like that, but not of the host that stands for none. Source: RFC 3323, 4.1.1.3.
  const [, tel, sip, host] = /^(?:tel:(.*)|sips?:([^@]*)@?(.*))$/s.exec(written) ?? [];
  const name = tel ?? (host === 'anonymous.invalid' ? sip : written);
  const digits = (tel ?? sip ?? written).replaceAll(/[\s().-]/g, '');
  return (
    written === '' || names.has(name ?? '') || isWithheldNumber(digits) || isWithheldNumber(`+${digits}`)
  );
}

/** The address that stands for all callers who withhold their numbers from a user, so that they share one contact. */
export const withheldFrom = (userId: string) => `${withheldPrefix}${userId}`;

const withheldPrefix = 'withheld from ';

/** Whether a contact stands for callers who withheld their numbers. */
export const isWithheldSender = (sender: string | undefined): boolean =>
  sender?.startsWith(withheldPrefix) === true;
