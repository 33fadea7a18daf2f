import { moveStage } from '../../definition/contact-nodes.ts';
import { stageRequest } from '../../definition/node-fields.ts';
import { executable } from '../executable.ts';
import { findGoneStage, skippedFor } from '../gone.ts';
import { requireContact } from '../step-context.ts';

export default executable(moveStage, {
  read: (data, sources) => findGoneStage(sources, data, 'Contact', sources.context.state?.contact.pipelineId),
  decide(data, { context, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'move-contact',
        path: { id: requireContact(context).contact._id },
        body: stageRequest(data, context.pipelines),
      },
    };
  },
});
