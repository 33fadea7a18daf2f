import * as z from 'zod/mini';
import { CustomFields } from '../../../../../shared/contacts/custom-fields.ts';
import { given } from '../../../../../shared/kernel/given.ts';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { Name } from '../../../../../shared/kernel/schemas/fields.ts';
import { type Gone, gonePlace, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { stageFields, stageReferences, stageRequest } from '../stage-fields.ts';
import { textsFrom } from '../texts.ts';
import { nodeType } from './node-type.ts';

const Data = described(
  z.object({
    name: Name,
    ...stageFields,
    stage: z.optional(Name),
    customFields: z.optional(CustomFields),
  }),
  {
    name: 'What the contact applies for; with placeholders.',
    pipelineId: 'An Application pipeline; the active one by default.',
    stage: 'The stage to enter, by id or by name; the first one by default.',
    customFields: 'Any JSON values by name; strings in them may contain placeholders.',
  },
);

export default nodeType<z.output<typeof Data>, Gone>({
  type: 'createApplication',
  title: 'Create an application',
  description:
    "Creates an application of the contact as `POST /api/applications` does. Skipped with `pipeline_gone` or `stage_gone` if there is no such Application pipeline or stage. The step has the application's `applicationId`, and a later `moveApplication` of the run moves it.",
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: (data) => stageReferences(data, 'Application'),
  read: (data, sources) => gonePlace(sources, data, 'Application'),
  decide({ name, customFields, ...place }, { facts, now, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    const texts = textsFrom({ facts, now });
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'create-application',
        body: {
          contactId: knownState(facts).contact._id,
          name: texts.filled(name),
          ...stageRequest(place, facts.pipelines),
          ...given({ customFields: texts.filledIn(customFields) }),
        },
        resultId: 'applicationId',
      },
    };
  },
});
