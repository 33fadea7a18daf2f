import type { Topic } from '../topics/topics.ts';
import type { Plan } from './plan.ts';

/** The topics that may end a run of this plan at any time. */
export function endingTopics({ settings: { goal, stopOnReply } }: Plan): Topic[] {
  return [
    ...new Set<Topic>([
      ...(goal === undefined ? [] : [goal.topic]),
      ...(stopOnReply ? (['message.received'] as const) : []),
    ]),
  ];
}
