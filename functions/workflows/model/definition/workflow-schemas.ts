import * as z from 'zod/mini';
import { JsonText } from '../../../../shared/kernel/http/json-text.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, dataResponse } from '../../../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString, atMost, dateTime, Name } from '../../../../shared/kernel/schemas/fields.ts';
import { listResponse } from '../../../../shared/kernel/schemas/paging.ts';
import { shownHeader, type WorkflowHeader } from './workflow.ts';

/** Source: decisions 1, "Input caps"; the description's limit is that of a note. */
export const workflowLimits = {
  bodyBytes: 4 * 1024 * 1024,
  nodes: 10_000,
  edges: 20_000,
  descriptionLength: 20_000,
} as const;

const Coordinate = z.number();

const NodeData = z.record(anyString, z.unknown());

const nodeDescriptions = {
  id: 'Unique among the nodes.',
  type: 'What the step does, like `trigger` or `sendMessage`: `GET /api/workflow-node-types` lists all types. One of any other type is skipped.',
  position: 'Where the builder draws it.',
  data: 'What the step needs, depending on its type.',
} as const;

const Node = described(
  z.looseObject({
    id: anyString,
    type: anyString,
    position: described(z.looseObject({ x: Coordinate, y: Coordinate }), {
      x: 'From left to right.',
      y: 'From top to bottom.',
    }),
    data: z.optional(NodeData),
  }),
  nodeDescriptions,
);

/** A node as it was written: null, which counts as absent in a request, comes back. */
export const StoredNode = described(z.extend(Node, { data: z.optional(z.nullable(NodeData)) }), {
  ...nodeDescriptions,
  data: 'What the step needs, depending on its type; null if it was sent so.',
});

export const Edge = described(z.looseObject({ id: anyString, source: anyString, target: anyString }), {
  id: 'Unique among the edges.',
  source: 'The id of the node that the arrow leaves.',
  target: 'The id of the node that the arrow enters.',
});

export const Viewport = described(z.strictObject({ x: Coordinate, y: Coordinate, zoom: Coordinate }), {
  x: 'How far the graph is moved to the right.',
  y: 'How far the graph is moved down.',
  zoom: 'How large it is drawn; 1 is 100 %.',
});

const fields = {
  description: z.optional(
    z
      .string()
      .check(
        atMost(workflowLimits.descriptionLength),
        z.meta({ maxLength: workflowLimits.descriptionLength }),
      ),
  ),
  nodes: z.optional(z.array(Node).check(z.maxLength(workflowLimits.nodes))),
  edges: z.optional(z.array(Edge).check(z.maxLength(workflowLimits.edges))),
  viewport: z.optional(Viewport),
  enabled: z.optional(anyBoolean),
};

/** A new workflow. Further properties become part of it. */
export const NewWorkflow = z.looseObject({ name: Name, ...fields });

export const WorkflowChange = z.looseObject({ name: z.optional(Name), ...fields });

export const workflowFieldDescriptions = {
  name: 'Unique within the organization; compared case-sensitively, after trimming and NFC normalization.',
  description:
    'Free text of at most 20,000 characters, shown in the workflow list and in the header of the builder.',
  nodes: 'At most 10,000, of any `type`.',
  edges:
    'At most 20,000. `source` and `target` are ids of nodes, which need not exist yet; `sourceHandle` is the way out of the source that the edge is for.',
  viewport: 'The part of the graph that the builder shows: all three numbers, and nothing else.',
  enabled: 'Whether it starts runs; false by default for a new workflow.',
} as const;

/** Source: specification, "Workflow". */
const WorkflowResponse = described(
  z.looseObject({
    _id: anyString,
    name: anyString,
    description: anyString,
    organizationId: anyString,
    userId: anyString,
    nodes: z.array(StoredNode),
    edges: z.array(Edge),
    viewport: Viewport,
    enabled: anyBoolean,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the workflow.',
    name: 'Its name, unique within the organization.',
    description: 'Free text, shown in the workflow list and in the header of the builder.',
    organizationId: 'The organization it belongs to.',
    userId: 'The user who owns it.',
    nodes: 'The steps of the graph.',
    edges: 'The arrows between them, in the direction of execution.',
    viewport: 'The part of the graph that the builder shows.',
    enabled: 'Whether the workflow can be triggered.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Workflow', description: 'An automation graph, with any extra properties it was given.' },
);

/** The JSON of a workflow, with its document as it was written. */
export function toWorkflowResponse(header: WorkflowHeader, document: string): string {
  return `${JSON.stringify(shownHeader(header)).slice(0, -1)},${document.slice(1)}`;
}

export const WorkflowData = dataResponse(WorkflowResponse);
export const WorkflowChanged = changeResponse(WorkflowResponse);
export const WorkflowList = listResponse(WorkflowResponse);

/** `{success: true, data}` */
export function workflowData(workflow: string): JsonText {
  return new JsonText(`{"success":true,"data":${workflow}}`);
}

/** `{success: true, message, data}`. Source: specification, "Workflow mutation response". */
export function workflowChanged(message: string, workflow: string): JsonText {
  return new JsonText(`{"success":true,"message":${JSON.stringify(message)},"data":${workflow}}`);
}

/** `{success: true, data: […], nextCursor}` */
export function workflowList(workflows: readonly string[], nextCursor: string | null): JsonText {
  return new JsonText(
    `{"success":true,"data":[${workflows.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`,
  );
}
