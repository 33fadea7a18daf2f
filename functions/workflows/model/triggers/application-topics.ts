import type { StoredEvent } from '../../../../shared/events/outbox.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { TopicEvent } from '../definition/topics.ts';

const topics = {
  created: 'application.created',
  moved: 'application.stage_changed',
  deleted: 'application.deleted',
} as const;

/** The topics of an application's change: the edit of its fields has none. */
export function applicationTopics({ data, change }: StoredEvent): TopicEvent[] {
  const { transition, name } = change?.application ?? {};
  if (transition === undefined || transition === 'edited') {
    return [];
  }
  const { applicationId, fromApplicationStageId } = data;
  const { pipelineId, stageId, customFields } = (data.application ?? {}) as Record<string, unknown>;
  const fromStageId = transition === 'created' ? undefined : fromApplicationStageId;
  return [
    {
      topic: topics[transition],
      fields: {
        ...{ applicationId, name },
        ...given({ pipelineId, stageId, stage: change?.stage, customFields }),
        ...given({ fromStageId, fromStage: change?.fromStage }),
      },
    },
  ];
}
