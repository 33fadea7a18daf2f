import { isExactNumber } from '../exact-numbers.ts';
import { Failure } from '../failure.ts';
import { normalized } from '../normal-form.ts';

/** A body as far as it can be stored. */
interface Repaired {
  readonly value: unknown;
  /** Paths of what was left out. */
  readonly skippedFields: readonly string[];
}

/**
 * The body of a sender who cannot correct it, in normal form: without numbers beyond 64 bits and what is nested deeper than `levels`, and
 * with U+FFFD in place of lone surrogates.
 * @throws a 400 `Failure` for a key `__proto__`.
 */
export function repaired(body: unknown, levels: number): Repaired {
  const skippedFields: string[] = [];
  const value = kept(body, '', levels, skippedFields);
  return { value, skippedFields };
}

/** Undefined, which JSON does not have, for what is left out. */
function kept(value: unknown, path: string, levels: number, skippedFields: string[]): unknown {
  if (typeof value === 'string') {
    return normalized(value.toWellFormed());
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) {
      skippedFields.push(path);
      return undefined;
    }
    return value;
  }
  if (typeof value !== 'object' || value === null || isExactNumber(value)) {
    return value;
  }
  if (levels === 0) {
    skippedFields.push(path);
    return undefined;
  }
  if (Array.isArray(value)) {
    return value
      .map((item, index) => kept(item, `${path}[${index}]`, levels - 1, skippedFields))
      .filter((item) => item !== undefined);
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => {
        if (key === '__proto__') {
          throw new Failure('INVALID', 'body must not contain the key __proto__');
        }
        const name = normalized(key.toWellFormed());
        return [
          name,
          kept(member, path === '' ? name : `${path}.${name}`, levels - 1, skippedFields),
        ] as const;
      })
      .filter(([, member]) => member !== undefined),
  );
}
