import { type Comparable, comparable, isEmpty } from './comparison.ts';
import { type FieldSource, fieldRoot, fieldValue } from './fields.ts';
import { listMembers, type Members } from './list-members.ts';

/** A value that rules compare, made ready for them: each part once, when it is first needed. */
export interface Prepared {
  readonly value: unknown;
  /** The value as a single one. */
  readonly whole: Comparable;
  /** The members of a list, or a single value as a list of one; none if the value is missing. */
  readonly members: Members;
  /** The single values among the members that are not empty, and the lists among them. */
  readonly singles: Members;
  readonly lists: readonly Prepared[];
  /** Whether the text has this part in its first `longestSearched` characters; false for what is no text. */
  hasPart(part: string): boolean;
}

/** Characters of a text that `contains` looks at: an event may be compared with thousands of rules. */
const longestSearched = 4_096;

/** By what has the value, and its name there: an event is compared with many rules, and a rule with many events. Neither ever changes. */
type Known = WeakMap<object, Map<string, Prepared>>;
const fields: Known = new WeakMap();
const values: Known = new WeakMap();

/** The value of a field. */
export function preparedField(field: string, source: FieldSource): Prepared {
  const { context } = source;
  const prepare = () => prepared(fieldValue(field, source), context.hours.timezone);
  // Not cached: whether the business is open depends on more than the context.
  return fieldRoot(field) === 'businessHours' ? prepare() : knownIn(fields, context, field, prepare);
}

/** The value that a rule compares a field with. */
export const preparedValue = (rule: { readonly value?: unknown }, zone: string): Prepared =>
  knownIn(values, rule, zone, () => prepared(rule.value, zone));

function knownIn(known: Known, owner: object, name: string, prepare: () => Prepared): Prepared {
  const byName = known.get(owner) ?? new Map<string, Prepared>();
  known.set(owner, byName);
  const found = byName.get(name) ?? prepare();
  byName.set(name, found);
  return found;
}

class PreparedValue implements Prepared {
  readonly value: unknown;
  readonly #zone: string;
  readonly #parts = new Map<string, boolean>();
  #whole: Comparable | undefined;
  #members: Members | undefined;
  #singles: Members | undefined;
  #lists: readonly Prepared[] | undefined;
  #searched: string | undefined;

  constructor(value: unknown, zone: string) {
    this.value = value;
    this.#zone = zone;
  }

  get whole(): Comparable {
    this.#whole ??= comparable(this.value, this.#zone);
    return this.#whole;
  }

  get members(): Members {
    this.#members ??= listMembers(asList(this.value), this.#zone);
    return this.#members;
  }

  get singles(): Members {
    const isSingle = (member: unknown) => !isEmpty(member) && !Array.isArray(member);
    this.#singles ??= listMembers(asList(this.value).filter(isSingle), this.#zone);
    return this.#singles;
  }

  get lists(): readonly Prepared[] {
    this.#lists ??= asList(this.value)
      .filter((member) => Array.isArray(member))
      .map((member) => prepared(member, this.#zone));
    return this.#lists;
  }

  hasPart(part: string): boolean {
    this.#searched ??= this.whole.word?.slice(0, longestSearched) ?? '';
    const found = this.#parts.get(part) ?? this.#searched.includes(part);
    this.#parts.set(part, found);
    return found;
  }
}

const prepared = (value: unknown, zone: string): Prepared => new PreparedValue(value, zone);

/** The members of a list, or a single value as a list of one; none if the value is missing. */
export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  return isEmpty(value) ? [] : [value];
}
