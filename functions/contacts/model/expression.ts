import { Failure } from '../../../shared/kernel/failure.ts';

/** Instructions of the largest expression. Most have as many as characters, but repetitions count in full. */
const largestExpression = 1_000;

/** Instructions of all expressions of a request together. */
export const largestExpressions = 5_000;

/** Characters of a value that expressions read: the rest of a longer one is not looked at. */
export const longestSubject = 4_096;

/**
 * What all expressions of a request may cost, in units of about 10 ns. Ordinary expressions cost one unit for each character of each
 * different value, and as many as a word for a shorter one, which may be empty.
 */
const maxCost = 20_000_000;
const leastCost = 20;

/** Units for each instruction and each character where the engine cannot remember what it did before. */
const costWithoutMemory = 10;

/**
 * Units for each instruction in a new state, for each class of characters and for all of them together: several times what they take,
 * because others wait meanwhile, and ordinary expressions come to few states.
 */
const costOfNewState = { class: 4, all: 80 };

/** Characters of a text that are read at a time where the engine may not remember all of it. */
const piece = 512;

/** The sum of what the expressions of one request cost. */
export class MatchingCost {
  #left = maxCost;

  /** @throws a 400 `Failure` that names the key of the custom field when the request may cost no more. */
  add(key: string, units: number): void {
    this.#left -= units;
    if (this.#left < 0) {
      throw new Failure(
        'INVALID',
        `customFilters.${key} takes too long over so many contacts: use plain words, fewer repetitions or fewer stages`,
      );
    }
  }
}

export interface Expression {
  /** Instructions of the engine. */
  readonly size: number;
  /**
   * Whether it matches anywhere in the first `longestSubject` characters of a text.
   * @throws a 400 `Failure` instead of costing more than the request may.
   */
  test(text: string, cost: MatchingCost): boolean;
}

/**
 * Compiles a case-insensitive regular expression in RE2 syntax. The engine is loaded on first use, because its tables are half as
 * large as everything else that a board needs.
 * @param key of the custom field, for the message.
 * @throws a 400 `Failure` for one that does not compile or is too large.
 */
export async function compiled(key: string, expression: string): Promise<Expression> {
  const { RE2JS } = await import('re2js');
  const pattern = patternOf(() => RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE), key);
  const size = pattern.programSize();
  if (size > largestExpression) {
    throw tooLarge(key);
  }
  const engine = pattern.re2();
  const isSimple = engine.onepass !== null || engine.prefixComplete;

  /** Matches with the automaton, and adds what that took. */
  function matches(subject: string, cost: MatchingCost): boolean {
    const { stateCount: known } = engine.dfa;
    const isMatch = pattern.test(subject);
    const { stateCount, numClasses, startStates } = engine.dfa;
    const hasForgotten = startStates.size === 0;
    const extra = hasForgotten
      ? costWithoutMemory * size * subject.length
      : (stateCount - known) * size * (costOfNewState.class * numClasses + costOfNewState.all);
    cost.add(key, Math.max(subject.length, leastCost) + extra);
    return isMatch;
  }

  return {
    size,
    test(text, cost) {
      const subject = text.slice(0, longestSubject);
      if (isSimple) {
        cost.add(key, Math.max(subject.length, leastCost));
        return pattern.test(subject);
      }
      if (!remembers(engine.dfa, size, subject.length)) {
        // Matches longer and longer prefixes, each of which costs little more than the one before, so that a match that would cost too
        // much ends early.
        for (let end = piece; end < subject.length; end += piece) {
          matches(subject.slice(0, end), cost);
        }
      }
      return matches(subject, cost);
    },
  };
}

/** The expressions of one key are too large. */
export function tooLarge(key: string): Failure {
  return new Failure(
    'INVALID',
    `customFilters.${key} is too large: use fewer repetitions, smaller ranges of letters, or fewer and shorter expressions`,
  );
}

function patternOf<Pattern>(compile: () => Pattern, key: string): Pattern {
  try {
    return compile();
  } catch {
    throw new Failure('INVALID', `customFilters.${key} must be a regular expression in RE2 syntax`);
  }
}

/** Bytes that re2js counts for a state, and for each instruction in it and each class of characters after it. */
const bytesOf = { state: 250, part: 8 };

/** The automaton of re2js. */
interface Automaton {
  /** States that it remembers. */
  readonly stateCount: number;
  /** Classes of characters that the expression distinguishes. */
  readonly numClasses: number;
  /** Bytes that it may take. */
  readonly maxMem: number;
}

/**
 * Whether the automaton surely remembers all states that a text brings it to, at most one for each character. A character then costs
 * one look-up, and only a new state costs as much as the expression is large, once for each class of characters. When its memory is
 * full it forgets all states, the start too, and when that does not help, every instruction meets every character.
 */
function remembers({ stateCount, numClasses, maxMem }: Automaton, size: number, length: number): boolean {
  const bytesOfState = bytesOf.state + bytesOf.part * (size + numClasses);
  return (stateCount + length + 2) * bytesOfState < maxMem;
}
