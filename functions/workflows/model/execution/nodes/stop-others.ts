import { given } from '../../../../../shared/kernel/given.ts';
import { stopOthers } from '../../definition/flow-nodes.ts';
import { executable } from '../executable.ts';
import { knownState } from '../facts.ts';

export default executable(stopOthers, {
  decide({ workflowIds }, { facts }) {
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'cancel-runs-of-contact',
        path: { id: knownState(facts).contact._id },
        body: given({ workflowIds }),
      },
    };
  },
});
