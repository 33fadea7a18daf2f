import { given } from '../../../../../shared/kernel/given.ts';
import { stageRequest } from '../../definition/node-fields.ts';
import { createApplication } from '../../definition/record-nodes.ts';
import { executable } from '../executable.ts';
import { knownState } from '../facts.ts';
import { gonePlace, skippedFor } from '../gone.ts';
import { textsFrom } from '../texts.ts';

export default executable(createApplication, {
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
