import * as z from 'zod/mini';
import { described } from '../../../../shared/kernel/descriptions.ts';
import { holds } from '../rules/rules.ts';
import { eventFieldDescriptions, MatchSchema, Rules } from './node-fields.ts';
import { nodeType } from './node-type.ts';

export default nodeType({
  type: 'condition',
  title: 'Condition',
  description: 'Goes on along the way `true` or `false`.',
  schema: described(z.object({ rules: Rules, match: z.optional(MatchSchema) }), {
    rules: 'What is asked; without rules, the answer is `true`. At most 50 rules, of 4 KB together.',
    match: eventFieldDescriptions.match,
  }),
  ways: () => ['true', 'false'],
  decide({ rules, match = 'all' }, situation) {
    const way = String(holds({ filter: rules, match }, situation));
    return { outcome: { status: 'passed', way } };
  },
});
