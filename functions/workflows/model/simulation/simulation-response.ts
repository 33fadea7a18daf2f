import * as z from 'zod/mini';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../../shared/kernel/schemas/fields.ts';
import { runStatuses, stepStatuses } from '../../../../shared/workflows/run-statuses.ts';
import type { SimulatedRuns } from './simulated-runs.ts';

const SimulatedStepResponse = described(
  z.object({
    nodeId: anyString,
    type: anyString,
    status: z.enum(stepStatuses),
    way: z.optional(anyString),
    reason: z.optional(anyString),
    text: z.optional(anyString),
    until: z.optional(dateTime),
    at: dateTime,
  }),
  {
    nodeId: 'The node of the graph.',
    type: 'Its type.',
    status:
      'What would become of it. A wait has two steps: `waiting` when it begins, and `passed` when it ends.',
    way: 'The way out that it would take, where there are several.',
    reason:
      'Why it would be skipped (for the same reasons as in a run) or fail, or why there is nothing to do.',
    text: 'The text that it would send, write or notify with, as it would read; of an `httpRequest` what it would post, and where. Absent for a template that you may not use.',
    until: 'The latest time at which a wait ends.',
    at: 'When it would be done.',
  },
  { id: 'SimulatedStep', description: 'A step that a run would take.' },
);

export const SimulationResponse = described(
  z.object({
    path: z.array(SimulatedStepResponse),
    runs: z.array(
      described(
        z.object({
          nodeId: anyString,
          status: z.enum([...runStatuses, 'refused']),
          reason: z.optional(anyString),
        }),
        {
          nodeId: 'The trigger.',
          status:
            'How its run would end. `refused` if none would start. `running` or `waiting` if it was not followed to its end.',
          reason:
            'Why it would end that way, or not start: `filter_not_met`, `contact_not_visible`, `owner_disabled`.',
        },
      ),
    ),
  }),
  {
    path: 'The steps, in order; those of several runs one run after the other.',
    runs: 'What would become of each trigger for the topic.',
  },
);

export function toSimulationResponse({ path, runs }: SimulatedRuns): z.input<typeof SimulationResponse> {
  return {
    path: path.map(({ nodeId, type, status, way, reason, text, until, at }) => ({
      ...{ nodeId, type, status },
      ...definedOnly({ way, reason, text, until }),
      at,
    })),
    runs: [...runs],
  };
}
