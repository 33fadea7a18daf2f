import * as z from 'zod/mini';
import { JsonText } from '../../../../shared/kernel/http/json-text.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, dataResponse } from '../../../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString, dateTime } from '../../../../shared/kernel/schemas/fields.ts';
import { listResponse } from '../../../../shared/kernel/schemas/paging.ts';
import { shownHeader, type WorkflowHeader } from './workflow.ts';
import { Edge, StoredNode, Viewport } from './workflow-fields.ts';

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
