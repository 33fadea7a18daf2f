import { condition } from '../../definition/flow-nodes.ts';
import { findHiddenReason } from '../can-see.ts';
import { executable } from '../executable.ts';
import { skippedFor } from '../gone.ts';
import { holds } from '../rules.ts';

export default executable(condition, {
  read: ({ rules }, sources) =>
    findHiddenReason(
      sources,
      rules.map(({ field }) => field),
    ),
  decide({ rules, match = 'all' }, input) {
    if (input.extra !== undefined) {
      return skippedFor(input.extra);
    }
    const branch = String(holds({ filter: rules, match }, input));
    return { outcome: { status: 'passed', way: branch } };
  },
});
