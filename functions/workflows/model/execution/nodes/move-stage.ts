import { moveStage } from '../../definition/contact-nodes.ts';
import { stageRequest } from '../../definition/node-fields.ts';
import { executable } from '../executable.ts';
import { knownState } from '../facts.ts';
import { gonePlace, skippedFor } from '../gone.ts';

export default executable(moveStage, {
  read: (data, sources) => gonePlace(sources, data, 'Contact', sources.facts.state?.contact.pipelineId),
  decide(data, { facts, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'move-contact',
        path: { id: knownState(facts).contact._id },
        body: stageRequest(data, facts.pipelines),
      },
    };
  },
});
