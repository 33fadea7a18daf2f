import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { type Gone, gonePlace, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { stageFields, stageReferences, stageRequest } from '../stage-fields.ts';
import { nodeType } from './node-type.ts';

const Data = described(z.object(stageFields), {
  pipelineId:
    'The Contact pipeline of the stage. By default, a name is one in the pipeline that the contact is in.',
  stage: 'The stage to move to, by id or by name.',
});

export default nodeType<z.output<typeof Data>, Gone>({
  type: 'moveStage',
  title: 'Move the contact to a stage',
  description:
    'Moves the contact as `PUT /api/contacts/{id}/stage` does. A contact that is in the stage already does not change. Skipped with `pipeline_gone` or `stage_gone` if there is no such Contact pipeline or stage.',
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: (data) => stageReferences(data, 'Contact'),
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
