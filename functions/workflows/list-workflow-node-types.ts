import * as z from 'zod/mini';
import { described } from '../../shared/kernel/descriptions.ts';
import { dataResponse } from '../../shared/kernel/envelope.ts';
import { anyText } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { skipReasons } from './model/engine/decision.ts';

const reasons = Object.entries(skipReasons)
  .map(([word, meaning]) => `\`${word}\` (${meaning})`)
  .join(', ');

const NodeType = described(
  z.object({
    type: anyText,
    title: anyText,
    description: anyText,
    schema: z.record(anyText, z.unknown()),
    ways: z.array(anyText),
    waysFrom: z.optional(anyText),
  }),
  {
    type: 'The `type` of the node.',
    title: 'Its name for people.',
    description: 'What it does, and for which reasons it is skipped.',
    schema:
      "The JSON Schema (draft 2020-12) of the node's `data`. The service checks `data` with the very same schema.",
    ways: 'The ways out beside the default one: values of `sourceHandle` of its edges.',
    waysFrom:
      'The field of `data` that names further ways: each value of the list `cases`, each key of the object `weights`.',
  },
);

const Topic = described(
  z.object({
    topic: anyText,
    fields: z.array(
      described(z.object({ name: anyText, description: anyText }), {
        name: 'Its name in rules and texts, after `event.`.',
        description: 'What it says.',
      }),
    ),
  }),
  { topic: 'The event, as nodes name it.', fields: 'What is known of it.' },
);

export default operation({
  route: 'GET /api/workflow-node-types',
  summary: 'List the types of nodes of workflows',
  description:
    'Everything that a builder needs to draw its palette and forms: all types of nodes with the JSON Schema of their `data`, and all events with their fields. Any node may have `join: "all"` in its `data`: it then waits for all tokens of the run that can still come to it, and runs once. Properties that a schema does not name are stored and have no effect. The workflow itself may have `settings`: `reentry` (`never`, `after_finish` (default) or `always`), `stopOnReply` (false by default), `window` (`any` (default) or `business_hours`), `goal: {event, filter, match}` and `rate: {value, unit}` (300 a `minute` by default).\n\n' +
    `A step is skipped for one of these reasons: ${reasons}; or, for a workflow that it may not start, for the reason that \`POST /api/workflows/{id}/run\` gives.`,
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
