// The filter patterns of event source mappings:
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html

type Pattern = { [key: string]: Pattern | unknown[] };

/** Compiles the patterns of a mapping. A record passes when it matches any of them, or when there are none. */
export function recordFilter(patterns: string[]): (record: unknown) => boolean {
  const parsed = patterns.map((pattern) => JSON.parse(pattern) as Pattern);
  return (record) => parsed.length === 0 || parsed.some((pattern) => matches(pattern, record));
}

function matches(pattern: Pattern, value: unknown): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    if (key === '$or') {
      return (expected as Pattern[]).some((alternative) => matches(alternative, value));
    }
    const actual = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (Array.isArray(expected)) {
      return expected.some((rule) => fulfils(rule, actual));
    }
    return matches(expected, actual);
  });
}

/** Whether a value, undefined when absent, fulfils one rule; a list fulfils it when one of its members does. */
function fulfils(rule: unknown, actual: unknown): boolean {
  if (isObject(rule) && typeof rule.exists === 'boolean') {
    return rule.exists === isLeaf(actual);
  }
  if (Array.isArray(actual)) {
    return actual.some((member) => fulfils(rule, member));
  }
  if (actual === undefined) {
    return false;
  }
  return isObject(rule) ? fulfilsOperator(rule, actual) : rule === actual;
}

function fulfilsOperator(rule: Record<string, unknown>, actual: unknown): boolean {
  const [operator, operand] = Object.entries(rule)[0] ?? [];
  switch (operator) {
    case 'prefix':
      return typeof actual === 'string' && actual.startsWith(String(operand));
    case 'suffix':
      return typeof actual === 'string' && actual.endsWith(String(operand));
    case 'equals-ignore-case':
      return typeof actual === 'string' && actual.toLowerCase() === String(operand).toLowerCase();
    case 'anything-but':
      return isLeaf(actual) && ![operand].flat().some((unwanted) => fulfils(unwanted, actual));
    case 'numeric':
      return typeof actual === 'number' && isInRange(operand as (string | number)[], actual);
    default:
      throw new Error(`The local host does not know the filter rule ${JSON.stringify(rule)}.`);
  }
}

/** Pairs of comparison and bound, for example `['>=', 0, '<', 5]`. */
function isInRange(bounds: (string | number)[], actual: number): boolean {
  for (let at = 0; at < bounds.length; at += 2) {
    const bound = Number(bounds[at + 1]);
    const holds = {
      '=': actual === bound,
      '<': actual < bound,
      '<=': actual <= bound,
      '>': actual > bound,
      '>=': actual >= bound,
    };
    if (!holds[bounds[at] as keyof typeof holds]) {
      return false;
    }
  }
  return true;
}

/** `exists` looks at leaves only: an object is not one. */
function isLeaf(value: unknown): boolean {
  return value !== undefined && !isObject(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
