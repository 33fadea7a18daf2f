import * as z from 'zod/mini';
import type { StoredApplication } from '../../../../../shared/applications/application.ts';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { isHidden, lacking } from '../can-see.ts';
import type { Facts } from '../facts.ts';
import { type Gone, gonePlace, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { stageFields, stageReferences, stageRequest } from '../stage-fields.ts';
import { nodeType } from './node-type.ts';

const Data = described(z.object(stageFields), {
  pipelineId:
    'The Application pipeline of the stage. By default, a name is one in the pipeline that the application is in.',
  stage: 'The stage to move to, by id or by name.',
});

export default nodeType<z.output<typeof Data>, Gone | 'hidden'>({
  type: 'moveApplication',
  title: 'Move an application to a stage',
  description:
    "Moves the run's own application as `PUT /api/applications/{id}/stage` does: the one that an earlier `createApplication` of the run made, the last of them; else the one that the event of the run is about; without either the contact's newest. Skipped with `no_application` if there is none, or if the run's own is gone, and `pipeline_gone` or `stage_gone` if there is no such Application pipeline or stage. The step has its `applicationId`.",
  schema: Data,
  asksStepsOf: ['createApplication'],
  actsAsOwner: true,
  needsContact: true,
  references: (data) => stageReferences(data, 'Application'),
  async read(data, sources) {
    const { facts } = sources;
    const chosen = chosenApplication(facts);
    if (chosen === undefined) {
      return (await isHidden(sources)) ? 'hidden' : undefined;
    }
    return gonePlace(sources, data, 'Application', chosen.pipelineId);
  },
  decide(data, { facts, extra: gone }) {
    const applicationId = chosenApplication(facts)?._id;
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
        body: stageRequest(data, facts.pipelines),
      },
    };
  },
});

function chosenApplication(facts: Facts): StoredApplication | undefined {
  // Ids sort by the time that they were made at.
  const known = knownState(facts).applications.toSorted((one, other) => (one._id < other._id ? -1 : 1));
  const made = Object.values(facts.steps)
    .flatMap(({ applicationId }) => (typeof applicationId === 'string' ? [applicationId] : []))
    .sort();
  const own = made.at(-1) ?? facts.event.applicationId;
  return typeof own === 'string' ? known.find(({ _id }) => _id === own) : known.at(-1);
}
