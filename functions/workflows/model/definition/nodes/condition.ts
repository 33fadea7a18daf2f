import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import type { SkipReason } from '../../../../../shared/workflows/run-statuses.ts';
import { hiddenFields } from '../can-see.ts';
import { skippedFor } from '../gone.ts';
import { holds } from '../rules.ts';
import { eventFieldDescriptions, MatchSchema, Rules } from './node-fields.ts';
import { nodeType } from './node-type.ts';

const Data = described(z.object({ rules: Rules, match: z.optional(MatchSchema) }), {
  rules: 'What is asked, at most 50 rules of 4 KB together; without rules, the answer is `true`.',
  match: eventFieldDescriptions.match,
});

export default nodeType<z.output<typeof Data>, SkipReason | undefined>({
  type: 'condition',
  title: 'Condition',
  description:
    'Continues along the way `true` or `false`. Skipped with `contact_not_visible` if a rule uses the contact and the owner of the workflow may not see it.',
  schema: Data,
  ways: () => ['true', 'false'],
  read: ({ rules }, sources) =>
    hiddenFields(
      sources,
      rules.map(({ field }) => field),
    ),
  decide({ rules, match = 'all' }, input) {
    if (input.extra !== undefined) {
      return skippedFor(input.extra);
    }
    const way = String(holds({ filter: rules, match }, input));
    return { outcome: { status: 'passed', way } };
  },
});
