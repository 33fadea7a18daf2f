import { Failure } from '../kernel/failure.ts';
import { caseFolded } from '../kernel/names/folded.ts';

/** Instructions of the largest expression, and of all of a request. Most have as many as characters, but repetitions count in full. */
const mostInstructions = { ofOne: 1_000, ofAll: 5_000 };

/**
 * Milliseconds of processor time that all expressions of a request may take, to be compiled and to match. Ordinary ones take up to 200
 * over 100,000 values.
 */
const mostMilliseconds = 1_000;

/** In milliseconds, from any beginning. */
export interface Clocks {
  /** Cheap enough to be asked for each value. */
  time(): number;
  /** The processor time of this thread. */
  processorTime(): number;
}

const clocks: Clocks = {
  time: () => performance.now(),
  processorTime() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
};

/** A compiled expression. It takes at most a fifth of a second for the longest text that is looked at. */
export interface Expression {
  /**
   * Whether it matches anywhere in the text.
   * @throws a 400 `Failure` once the expressions of the request have taken too long.
   */
  test(text: string): boolean;
}

/** The expressions of one request, which share what they may take. */
export class Expressions {
  readonly #clocks: Clocks;
  readonly #start: number;
  #instructions = 0;
  #milliseconds = 0;
  #longest = mostMilliseconds;

  constructor(given = clocks) {
    this.#clocks = given;
    this.#start = given.processorTime();
  }

  /**
   * Compiles a case-insensitive regular expression in RE2 syntax. The engine is loaded on first use, because its tables are half as
   * large as everything else that a board needs.
   * @param key of the custom field, for messages.
   * @throws a 400 `Failure` for one that does not compile or is too large.
   */
  async compile(key: string, expression: string): Promise<Expression> {
    const { RE2JS } = await import('re2js');
    const pattern = this.#timed(key, () => {
      try {
        return RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
      } catch {
        throw new Failure('INVALID', `customFilters.${key} must be a regular expression in RE2 syntax`);
      }
    });
    const size = pattern.programSize();
    this.#instructions += size;
    if (size > mostInstructions.ofOne || this.#instructions > mostInstructions.ofAll) {
      throw new Failure(
        'INVALID',
        `customFilters.${key} is too large: use fewer repetitions, or fewer and shorter expressions`,
      );
    }
    return { test: (text) => this.#timed(key, () => pattern.test(text)) };
  }

  /** Does the work, unless all work has taken too long. What a busy machine does meanwhile for others does not count. */
  #timed<Result>(key: string, work: () => Result): Result {
    const start = this.#clocks.time();
    const result = work();
    this.#milliseconds += this.#clocks.time() - start;
    if (this.#milliseconds > this.#longest) {
      const left = mostMilliseconds - (this.#clocks.processorTime() - this.#start);
      if (left < 0) {
        throw new Failure(
          'INVALID',
          `customFilters.${key} takes too long over so many contacts: use plain words, fewer repetitions or fewer stages`,
        );
      }
      this.#longest = this.#milliseconds + left;
    }
    return result;
  }
}

/** A quotation, an escape, a class of characters, or a letter beyond ASCII. */
const part = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:[^\]]*:\]|[^\]\\])*\]|[^\0-\x7f]/gu;

const isLetter = /^[^\0-\x7f]$/u;

/** Characters that mean something else than themselves in an expression. */
const special = /[\\^$.|?*+()[\]{}]/g;

/**
 * A regular expression whose letters beyond ASCII are folded, so that it matches folded texts: the engine knows only the other cases of
 * single characters, while `ß` folded is `ss`. Classes, escapes and quotations stay as they are.
 */
export function withFoldedLetters(expression: string): string {
  return expression.replaceAll(part, (text) => (isLetter.test(text) ? foldedLetter(text) : text));
}

/** One character, or else a group: what repeats the letter must repeat all of it. */
function foldedLetter(letter: string): string {
  const folded = caseFolded(letter);
  const written = folded.replaceAll(special, String.raw`\$&`);
  return [...folded].length === 1 ? written : `(?:${written})`;
}
