import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

const NodeType = described(
  z.object({
    type: anyString,
    title: anyString,
    description: anyString,
    schema: z.record(anyString, z.unknown()),
    ways: z.array(anyString),
    waysFrom: z.optional(anyString),
  }),
  {
    type: 'The `type` of the node.',
    title: 'Its name for people.',
    description:
      'What it does, and the reasons for which it is skipped, in addition to those of every step (`unknown_type`, `invalid_data`) and of every step that acts (`contact_gone`, `owner_disabled`).',
    schema:
      "The JSON Schema (draft 2020-12) of the node's `data`. The service accepts nothing that it refuses, except strings that are too long only because of the spaces around them. It also refuses what a schema cannot express: dates that do not exist, unknown time zones, values for fields of a contact that `PUT /api/contacts/{id}` refuses, and rules or values that are too long together, as the descriptions say.",
    ways: 'The ways out other than the default one: values that `sourceHandle` of its edges may have.',
    waysFrom:
      'The field of `data` that names further ways: each value of the list `cases`, each key of the object `weights`.',
  },
);

const Topic = described(
  z.object({
    topic: anyString,
    fields: z.array(
      described(z.object({ name: anyString, description: anyString }), {
        name: 'Its name in rules and texts, after `event.`.',
        description: 'What it says.',
      }),
    ),
  }),
  { topic: 'The event, as nodes name it.', fields: 'Its fields.' },
);

export default operation({
  route: 'GET /api/workflow-node-types',
  summary: 'List the types of nodes of workflows',
  description:
    'Everything that a builder needs to draw its palette and forms: all types of nodes with the JSON Schema of their `data`, and all events with their fields. An edge leaves by the way that its `sourceHandle` names, or, without one, by the default way. A step that fails continues by the way `error`; without such an edge, the run fails. Any node may have `join: "all"` in its `data`, and the workflow itself `settings`: `reentry`, `stopOnReply`, `window`, `goal` and `rate`. Properties that a schema does not name are stored and have no effect. [Workflows](#/Workflows) explains how a graph runs.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(
    described(z.object({ nodeTypes: z.array(NodeType), topics: z.array(Topic) }), {
      nodeTypes: 'The types of nodes, by name.',
      topics: 'What can start a run, or end its wait.',
    }),
  ),
  // The same for everybody who may read it, and for nobody else.
  headers: { 'cache-control': 'private, no-cache' },
  uses: { asset: 'workflowNodeTypes' },
  async run(_request, { asset }) {
    return asset;
  },
});
