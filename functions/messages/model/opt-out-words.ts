import type { Consent } from '../../../shared/contacts/consent.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { IncomingSms } from './incoming-sms.ts';

/** The wish of a message about texts to its sender: none any more, some again, or a request for help. Twilio's names. */
export type OptOutType = 'STOP' | 'START' | 'HELP';

/** Messages that say so, in letters and digits alone. Source: decisions 10, "Opt-out"; 47 CFR 64.1200(a)(10). */
const words: Readonly<Record<OptOutType, readonly string[]>> = {
  STOP: [
    ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'REMOVE', 'ARRET'],
    ...['STOPPLEASE', 'PLEASESTOP'],
  ],
  START: ['START', 'UNSTOP', 'YES'],
  HELP: ['HELP', 'INFO'],
};

const types = new Map(
  (['STOP', 'START', 'HELP'] as const).flatMap((type) => words[type].map((word) => [word, type] as const)),
);

/** Reads the type of a message that the provider told, in any case; undefined for anything else. The provider knows the words of all languages. */
export function optOutTypeIn(told: unknown): OptOutType | undefined {
  const name = typeof told === 'string' ? told.trim().toUpperCase() : '';
  return (['STOP', 'START', 'HELP'] as const).find((type) => type === name);
}

/**
 * Reads the wish of a message from what its provider told or, failing that, by its whole text, or by its first line above a signature. Above any
 * other text only STOP counts: `Yes` there answers something else, while a STOP too many harms nobody.
 */
export function messageOptOutType({
  content,
  optOutType,
}: Pick<IncomingSms, 'content' | 'optOutType'>): OptOutType | undefined {
  const lines = content.split(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/);
  const first = lines.findIndex((line) => lettersOf(line) !== '');
  const byFirstLine = types.get(lettersOf(lines[first] ?? ''));
  const isSigned = signature.test(lines[first + 1] ?? '');
  return (
    optOutType ??
    types.get(lettersOf(content)) ??
    (byFirstLine === 'STOP' || isSigned ? byFirstLine : undefined)
  );
}

/** How a signature begins below a message: with an empty line, dashes, or the name of the program. */
const signature = /^\s*$|^\s*[\p{Dash}_*]{2}|^\s*(?:sent|get|gesendet|envoy|enviad)/iu;

/** The consent that a message states for the number or address that it came from; undefined if it states none. */
export function consentIn(sms: IncomingSms, since: Timestamp): Consent | undefined {
  const type = messageOptOutType(sms);
  return type === 'STOP' || type === 'START'
    ? { sms: type === 'STOP' ? 'out' : 'in', since, source: 'keyword' }
    : undefined;
}

/**
 * The letters and digits of a text in upper case, without accents: so blanks, hyphens, quotes, punctuation, emoji and invisible characters
 * (Unicode's default-ignorable ones, some of which count as letters) do not matter.
 */
function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]|\p{Lm}|\p{Default_Ignorable_Code_Point}/gu, '');
}
