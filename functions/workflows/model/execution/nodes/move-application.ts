import type { StoredApplication } from '../../../../../shared/contact-aggregate/application.ts';
import { stageRequest } from '../../definition/node-fields.ts';
import { moveApplication } from '../../definition/record-nodes.ts';
import { isHidden, lacking } from '../can-see.ts';
import { executable } from '../executable.ts';
import { findGoneStage, skippedFor } from '../gone.ts';
import { requireContact, type StepContext } from '../step-context.ts';

export default executable(moveApplication, {
  async read(data, sources) {
    const { context } = sources;
    const chosen = chosenApplication(context);
    if (chosen === undefined) {
      return (await isHidden(sources)) ? 'hidden' : undefined;
    }
    return findGoneStage(sources, data, 'Application', chosen.pipelineId);
  },
  decide(data, { context, extra: gone }) {
    const applicationId = chosenApplication(context)?._id;
    if (applicationId === undefined) {
      return lacking('no_application', 'Application', gone === 'hidden');
    }
    if (gone !== undefined && gone !== 'hidden') {
      return skippedFor(gone);
    }
    return {
      outcome: { status: 'passed', resultIds: { applicationId } },
      effect: {
        operation: 'move-application',
        path: { id: applicationId },
        body: stageRequest(data, context.pipelines),
      },
    };
  },
});

function chosenApplication(context: StepContext): StoredApplication | undefined {
  // Ids sort by the time that they were made at.
  const known = requireContact(context).applications.toSorted((application, other) =>
    application._id < other._id ? -1 : 1,
  );
  const made = Object.values(context.steps)
    .flatMap(({ applicationId }) => (typeof applicationId === 'string' ? [applicationId] : []))
    .sort();
  const own = made.at(-1) ?? context.event.applicationId;
  return typeof own === 'string' ? known.find(({ _id }) => _id === own) : known.at(-1);
}
