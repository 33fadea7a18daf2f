// The filter patterns of event source mappings, as far as the templates use them:
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
import * as z from 'zod';

const Rule = z.union([z.string(), z.strictObject({ prefix: z.string() })]);
type Rule = z.infer<typeof Rule>;

/** The values that a field of a record may have, or a pattern for the fields within it. */
export type FilterPattern = { [field: string]: FilterPattern | Rule[] };

const Fields: z.ZodType<FilterPattern> = z.record(
  z.string(),
  z.union([z.array(Rule), z.lazy(() => Fields)], {
    error: 'the local host supports only texts and prefixes as rules of filters',
  }),
);

/** A pattern in JSON, as a mapping has it. */
export const FilterPattern = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(Fields);

/** Whether a record matches any of the patterns. */
export function passes(patterns: readonly FilterPattern[], record: unknown): boolean {
  return patterns.some((pattern) => matches(pattern, record));
}

function matches(pattern: FilterPattern, value: unknown): boolean {
  return Object.entries(pattern).every(([field, expected]) => {
    const actual = (value as Record<string, unknown> | undefined)?.[field];
    return Array.isArray(expected)
      ? expected.some((rule) => fulfils(rule, actual))
      : matches(expected, actual);
  });
}

function fulfils(rule: Rule, actual: unknown): boolean {
  if (typeof rule === 'string') {
    return actual === rule;
  }
  return typeof actual === 'string' && actual.startsWith(rule.prefix);
}
