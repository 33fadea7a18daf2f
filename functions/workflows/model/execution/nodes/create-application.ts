import { definedOnly } from '../../../../../shared/kernel/defined-only.ts';
import { stageRequest } from '../../definition/node-fields.ts';
import { createApplication } from '../../definition/record-nodes.ts';
import { executable } from '../executable.ts';
import { findGoneStage, skippedFor } from '../gone.ts';
import { requireContact } from '../step-context.ts';
import { textsFrom } from '../texts.ts';

export default executable(createApplication, {
  read: (data, sources) => findGoneStage(sources, data, 'Application'),
  decide({ name, customFields, ...stageRef }, { context, now, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    const texts = textsFrom({ context, now });
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'create-application',
        body: {
          contactId: requireContact(context).contact._id,
          name: texts.filled(name),
          ...stageRequest(stageRef, context.pipelines),
          ...definedOnly({ customFields: texts.filledIn(customFields) }),
        },
        resultId: 'applicationId',
      },
    };
  },
});
