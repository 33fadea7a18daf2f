import { nameOfCase, switchNode } from '../../definition/flow-nodes.ts';
import { findHiddenReason } from '../can-see.ts';
import { executable } from '../executable.ts';
import { skippedFor } from '../gone.ts';
import { ruleHolds } from '../rules.ts';

export default executable(switchNode, {
  read: ({ field }, sources) => findHiddenReason(sources, [field]),
  decide({ field, cases }, input) {
    if (input.extra !== undefined) {
      return skippedFor(input.extra);
    }
    const found = cases.find((value) => ruleHolds({ field, operator: 'equals', value }, input));
    return { outcome: { status: 'passed', ...(found !== undefined && { way: nameOfCase(found) }) } };
  },
});
