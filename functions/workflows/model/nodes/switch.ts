import * as z from 'zod/mini';
import { described } from '../../../../shared/kernel/descriptions.ts';
import { ruleHolds } from '../rules/rules.ts';
import { FieldPath } from './node-fields.ts';
import { nodeType } from './node-type.ts';

const Case = z.union([z.string(), z.number(), z.boolean()]);

const caseLimit = 100;

export default nodeType({
  type: 'switch',
  title: 'Switch',
  description:
    'Goes on along the way that is named like the first of the `cases` that a field equals; along the default way if it equals none.',
  schema: described(z.object({ field: FieldPath, cases: z.array(Case).check(z.maxLength(caseLimit)) }), {
    field: 'The field, like those of rules: `contact.stage`.',
    cases: 'Values that it may have, at most 100; each is the name of a way out.',
  }),
  waysFrom: 'cases',
  ways: ({ cases }) => [...new Set(cases.map(String))],
  decide({ field, cases }, situation) {
    const found = cases.find((value) => ruleHolds({ field, operator: 'equals', value }, situation));
    return { outcome: { status: 'passed', ...(found !== undefined && { way: String(found) }) } };
  },
});
