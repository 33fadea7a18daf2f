import * as z from 'zod/mini';
import { described } from '../../../../shared/kernel/descriptions.ts';
import { ruleHolds } from '../engine/rules.ts';
import { FieldPath } from './node-fields.ts';
import { nodeType } from './node-type.ts';

const Case = z.union([z.string(), z.number(), z.boolean()]);

const caseLimit = 100;

export default nodeType({
  type: 'switch',
  title: 'Switch',
  description:
    'Goes on along the way that is called like the value of a field: the first case that the field equals. Along the default way if none does.',
  schema: described(z.object({ field: FieldPath, cases: z.array(Case).check(z.maxLength(caseLimit)) }), {
    field: 'The field, like those of rules: `contact.stage`.',
    cases: 'Its values, each the name of a way out.',
  }),
  waysFrom: 'cases',
  ways: ({ cases }) => [...new Set(cases.map(String))],
  decide({ field, cases }, situation) {
    const found = cases.find((value) => ruleHolds({ field, operator: 'equals', value }, situation));
    return { outcome: { status: 'passed', ...(found !== undefined && { way: String(found) }) } };
  },
});
