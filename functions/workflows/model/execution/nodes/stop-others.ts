import { definedOnly } from '../../../../../shared/kernel/defined-only.ts';
import { stopOthers } from '../../definition/flow-nodes.ts';
import { executable } from '../executable.ts';
import { requireContact } from '../step-context.ts';

export default executable(stopOthers, {
  decide({ workflowIds }, { context }) {
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'cancel-runs-of-contact',
        path: { id: requireContact(context).contact._id },
        body: definedOnly({ workflowIds }),
      },
    };
  },
});
