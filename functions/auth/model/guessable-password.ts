import { Failure } from '../../../shared/kernel/failure.ts';

/**
 * Refuses a new password that guessing begins with: one of the most common, or one that is made of the user's email address. Passwords
 * from before still log in. Source: NIST SP 800-63B-4, 3.1.1.2.
 * @param field the name of the password's field in the request.
 * @throws a 400 `Failure`.
 */
export async function refuseGuessable(field: string, password: string, email: string): Promise<void> {
  if (isMadeOf(password, [...partsOf(email), serviceName])) {
    throw new Failure(
      'INVALID',
      `${field} must not be made of your email address or the name of this service, whatever digits you add: choose other words`,
    );
  }
  if (await isCommon(password)) {
    throw new Failure(
      'INVALID',
      `${field} is one of the most common passwords, which are guessed first: choose several words that do not belong together`,
    );
  }
}

const serviceName = 'switchboard';

/** Digits and signs that people add to the end of a common password when they must have some in it. */
const addedEnd = /\P{L}{1,5}$/u;

async function isCommon(password: string): Promise<boolean> {
  // Imported late: 49,000 passwords, which only a function that sets one needs.
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const plain = folded(password);
  const common = dictionary['passwords-common'];
  return [plain, plain.replace(addedEnd, '')].some((candidate) => common.includes(candidate));
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

/** Letters that are a part of an address, or a password's own: fewer are in many words by chance, or protect nothing. */
const leastLetters = { ofPart: 3, ofPassword: 4 };

const lettersOf = (text: string) => folded(text).replace(/[^\p{L}\p{M}]/gu, '');

/** The letters of an address: all, those beside the @, and those of each word; the longest first. */
function partsOf(email: string): string[] {
  const parts = [email, ...email.split('@'), ...email.split(/[^\p{L}\p{M}]+/u)].map(lettersOf);
  return parts.filter((part) => part.length >= leastLetters.ofPart).sort((a, b) => b.length - a.length);
}

/** Whether a password has one of these words in it, forwards or backwards, and hardly any other letters. */
function isMadeOf(password: string, words: readonly string[]): boolean {
  const letters = lettersOf(password);
  const rest = words
    .flatMap((word) => [word, [...word].reverse().join('')])
    .reduce((left, word) => left.replaceAll(word, ''), letters);
  return rest.length < letters.length && rest.length < leastLetters.ofPassword;
}
