import * as z from 'zod/mini';
import { digitsIn, isNumber } from '../../../../shared/kernel/exact-numbers.ts';
import { AnyNumber } from '../../../../shared/kernel/http/plain-numbers.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { anyString, Id, nonEmptyString } from '../../../../shared/kernel/schemas/fields.ts';
import { hasPlaceholder } from '../../../../shared/messages/fill-placeholders.ts';
import {
  eventFieldDescriptions,
  eventFields,
  FieldPath,
  MatchSchema,
  maxWorkflows,
  Rules,
  WayName,
} from './node-fields.ts';
import { nodeType } from './node-type.ts';
import { longestName } from './plan.ts';

export const triggerType = 'trigger';

export const TriggerData = described(z.object(eventFields), {
  event: 'What starts a run for the contact that it happened to.',
  ...eventFieldDescriptions,
});

export const trigger = nodeType({
  type: triggerType,
  title: 'Trigger',
  description:
    'Starts a run when this happens to a contact that the owner of the workflow may see. A workflow may have up to 50, each of which starts runs of its own; the filter of each may have 4 KB, and those for the same event 8 KB together.',
  schema: TriggerData,
});

const ConditionData = described(z.object({ rules: Rules, match: z.optional(MatchSchema) }), {
  rules: 'What is asked, at most 50 rules of 4 KB together; without rules, the answer is `true`.',
  match: eventFieldDescriptions.match,
});

export const condition = nodeType<z.output<typeof ConditionData>>({
  type: 'condition',
  title: 'Condition',
  description:
    'Continues along the way `true` or `false`. Skipped with `contact_not_visible` if a rule uses the contact and the owner of the workflow may not see it.',
  schema: ConditionData,
  ways: () => ['true', 'false'],
});

const Case = z.union([
  WayName,
  AnyNumber.check(z.refine((value) => digitsIn(value).length <= longestName)),
  z.boolean(),
]);

/** The name of the way for a case: a number as it was written. */
export const nameOfCase = (value: z.output<typeof Case>) =>
  isNumber(value) ? digitsIn(value) : String(value);

const caseLimit = 100;

const SwitchNodeData = described(
  z.object({ field: FieldPath, cases: z.array(Case).check(z.maxLength(caseLimit)) }),
  {
    field: 'The field, like those of rules: `contact.stage`.',
    cases:
      'Values that it may have, at most 100, with at most 200 characters; each is the name of a way out.',
  },
);

export const switchNode = nodeType<z.output<typeof SwitchNodeData>>({
  type: 'switch',
  title: 'Switch',
  description:
    'Continues along the way that is named like the first of the `cases` that a field equals; along the default way if it equals none. Skipped with `contact_not_visible` if the field is one of the contact and the owner of the workflow may not see it.',
  schema: SwitchNodeData,
  waysFrom: 'cases',
  ways: ({ cases }) => [...new Set(cases.map(nameOfCase))],
});

const weightLimit = 1_000_000;
const branchLimit = 20;

const Weight = z.number().check(z.minimum(0), z.maximum(weightLimit));

export const split = nodeType({
  type: 'split',
  title: 'Split',
  description:
    'Sends runs along its ways at random, in proportion to their weights. A run that comes here again goes the same way.',
  schema: described(
    z.object({
      weights: z.record(WayName, Weight).check(
        z.refine(
          (weights) => Object.values(weights).some((weight) => weight > 0),
          'must have a way with a weight greater than 0',
        ),
        z.refine(
          (weights) => Object.keys(weights).length <= branchLimit,
          `must have at most ${branchLimit} ways`,
        ),
        z.meta({ maxProperties: branchLimit, not: { additionalProperties: { maximum: 0 } } }),
      ),
    }),
    {
      weights:
        'The weight of each way by its name: `{"A": 50, "B": 50}`. At most 20 ways, each with a name of at most 200 characters; each weight from 0 to 1,000,000.',
    },
  ),
  waysFrom: 'weights',
  ways: ({ weights }) => Object.keys(weights),
});

const StartWorkflowData = described(z.object({ workflowId: Id }), {
  workflowId: 'An enabled workflow with a trigger for `manual.started`, which the owner of this one may see.',
});

export const startWorkflow = nodeType<z.output<typeof StartWorkflowData>>({
  type: 'startWorkflow',
  title: 'Start another workflow',
  description:
    'Starts another workflow for the contact as `POST /api/workflows/{id}/run` does, and continues at once. If none may start, it is skipped with the reason: `contact_not_visible`, `filter_not_met`, `loop_guard`, `owner_disabled`, `rate_of_contact` or `reentry`; `workflow_gone` if the owner of this one may see no such workflow. It fails for one that is disabled, for one with more than 6 such triggers, and for one whose owner has wider rights than the owner of this one. The workflow that it belongs to starts anew only with `reentry` `always`, up to 5 times in a row: an edge back to an earlier step repeats steps more often. The step has the `startedRunId` of the first run that started.',
  schema: StartWorkflowData,
  actsAsOwner: true,
  needsContact: true,
  references: ({ workflowId }) => [{ kind: 'workflow', id: workflowId, path: 'workflowId', starts: true }],
});

const StopOthersData = described(
  z.object({ workflowIds: z.optional(z.array(Id).check(z.maxLength(maxWorkflows))) }),
  {
    workflowIds: 'Only runs of these workflows, at most 50; by default, of all workflows.',
  },
);

export const stopOthers = nodeType<z.output<typeof StopOthersData>>({
  type: 'stopOthers',
  title: 'Stop other runs',
  description:
    'Ends the other runs of the contact, as `POST /api/contacts/{id}/workflow-runs/cancel` does: they become `cancelled` with the reason `stopped_by_workflow`, soon after the step. Runs of workflows whose owners have wider rights than the owner of this one go on. Runs that start later are not affected.',
  schema: StopOthersData,
  actsAsOwner: true,
  needsContact: true,
  references: ({ workflowIds = [] }) =>
    workflowIds.map((id, index) => ({ kind: 'workflow', id, path: `workflowIds[${index}]` }) as const),
});

export const stop = nodeType({
  type: 'stop',
  title: 'Stop',
  description: 'Ends the whole run, including its other branches, as `finished`, with the reason `stopped`.',
  schema: z.object({}),
});

const urlLimit = 2_048;
const headerLimit = 20;
const headerValueLimit = 2_000;
const bodyLimit = 64 * 1024;

const isWebAddress = (text: string) => {
  const { protocol, username, password } = URL.parse(text) ?? {};
  return (protocol === 'https:' || protocol === 'http:') && !username && !password;
};

/** A name that HTTP allows. */
const headerName = /^[\w!#$%&'*+.^`|~-]{1,100}$/;

const HttpRequestData = described(
  z.object({
    method: z.optional(z.enum(['POST'])),
    url: nonEmptyString(urlLimit).check(
      z.refine(
        (text) => hasPlaceholder(text) || isWebAddress(text),
        'must be an address like https://example.com/hooks, without a user name or a password',
      ),
      z.meta({
        pattern: String.raw`\{\{[^{}]*\}\}|^\s*https?://(?![^/?#]*@)`,
        examples: ['https://example.com/hooks'],
      }),
    ),
    headers: z.optional(
      z.record(anyString.check(z.regex(headerName)), anyString.check(z.maxLength(headerValueLimit))).check(
        z.refine(
          (headers) => Object.keys(headers).length <= headerLimit,
          `must have at most ${headerLimit} headers`,
        ),
        z.meta({ maxProperties: headerLimit }),
      ),
    ),
    body: z.optional(
      z
        .unknown()
        .check(
          z.refine(
            (body) => Buffer.byteLength(JSON.stringify(body) ?? '') <= bodyLimit,
            `must have at most ${bodyLimit / 1024} KB as JSON`,
          ),
        ),
    ),
    saveAs: z.optional(anyString.check(z.regex(/^[A-Za-z_][\w-]{0,99}$/))),
  }),
  {
    method: 'Only `POST`.',
    url: 'Where it posts to, with placeholders: `https://`, port 443 or above 1023, on the public internet; `http://` where the operator of the service allows it.',
    headers:
      'Up to 20 headers by name, with placeholders in their values. Everybody who may see the workflow can read them. The service sets those of the connection, `content-type` and `webhook-id` itself.',
    body: 'Any JSON, at most 64 KB; texts in it may contain placeholders. `{}` unless stated.',
    saveAs: 'Another name for the step: `step.<saveAs>.body.…` is then the same as `step.<nodeId>.body.…`.',
  },
);

export const httpRequest = nodeType<z.output<typeof HttpRequestData>>({
  type: 'httpRequest',
  title: 'HTTP request',
  description:
    'Posts JSON to an address outside, with a `webhook-id`. A status of 2xx within 10 seconds passes: later rules and texts then know its `step.<nodeId>.status` and, if it is JSON of at most 16 KB, its `step.<nodeId>.body.…`. Otherwise it is tried again after 5 seconds and after 5 minutes, with the same `webhook-id`, and then fails with the reason `refused_address` (the address is not one of the public internet), `no_answer` or `status_<n>`. Skipped with `contact_not_visible` if it names a field of the contact and the owner of the workflow may not see it.',
  schema: HttpRequestData,
  actsAsOwner: true,
  savesAs: ({ saveAs }) => saveAs,
});
