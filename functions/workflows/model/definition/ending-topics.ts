import type { Plan } from './plan.ts';
import type { Topic } from './topics.ts';

/** The topics that may end a run of this plan at any time. */
export function endingTopics({ settings: { goal, stopOnReply } }: Pick<Plan, 'settings'>): Topic[] {
  return [
    ...new Set<Topic>([
      ...(goal === undefined ? [] : [goal.topic]),
      ...(stopOnReply ? (['message.received'] as const) : []),
    ]),
  ];
}
