import * as z from 'zod/mini';
import { digitsIn, isNumber } from '../../../../../shared/kernel/exact-numbers.ts';
import { AnyNumber } from '../../../../../shared/kernel/http/plain-numbers.ts';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import type { SkipReason } from '../../../../../shared/workflows/run-statuses.ts';
import { hiddenFields } from '../can-see.ts';
import { skippedFor } from '../gone.ts';
import { longestName } from '../plan.ts';
import { ruleHolds } from '../rules.ts';
import { FieldPath, WayName } from './node-fields.ts';
import { nodeType } from './node-type.ts';

const Case = z.union([
  WayName,
  AnyNumber.check(z.refine((value) => digitsIn(value).length <= longestName)),
  z.boolean(),
]);

/** The name of the way for a case: a number as it was written. */
const wayOf = (value: z.output<typeof Case>) => (isNumber(value) ? digitsIn(value) : String(value));

const caseLimit = 100;

const Data = described(z.object({ field: FieldPath, cases: z.array(Case).check(z.maxLength(caseLimit)) }), {
  field: 'The field, like those of rules: `contact.stage`.',
  cases: 'Values that it may have, at most 100, with at most 200 characters; each is the name of a way out.',
});

export default nodeType<z.output<typeof Data>, SkipReason | undefined>({
  type: 'switch',
  title: 'Switch',
  description:
    'Continues along the way that is named like the first of the `cases` that a field equals; along the default way if it equals none. Skipped with `contact_not_visible` if the field is one of the contact and the owner of the workflow may not see it.',
  schema: Data,
  waysFrom: 'cases',
  ways: ({ cases }) => [...new Set(cases.map(wayOf))],
  read: ({ field }, sources) => hiddenFields(sources, [field]),
  decide({ field, cases }, input) {
    if (input.extra !== undefined) {
      return skippedFor(input.extra);
    }
    const found = cases.find((value) => ruleHolds({ field, operator: 'equals', value }, input));
    return { outcome: { status: 'passed', ...(found !== undefined && { way: wayOf(found) }) } };
  },
});
