import * as z from 'zod/mini';
import { changeAnswer, dataAnswer } from '../kernel/envelope.ts';
import { anyText, yesOrNo } from '../kernel/fields.ts';
import { JsonText } from '../kernel/json-text.ts';
import { listAnswer } from '../kernel/paging.ts';
import type { WorkflowHeader } from './workflow.ts';
import { Edge, Node, Viewport } from './workflow-fields.ts';

/** The schema of a workflow as answered. Source: specification, "Workflow". */
const WorkflowAnswer = z
  .looseObject({
    _id: anyText,
    name: anyText,
    description: anyText,
    organizationId: anyText,
    userId: anyText,
    nodes: z.array(Node),
    edges: z.array(Edge),
    viewport: Viewport,
    enabled: yesOrNo,
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(
    z.meta({
      id: 'Workflow',
      description:
        'An automation graph, with whatever further properties it was given. `userId` is the owner. While `enabled` is false, nothing triggers it.',
    }),
  );

/** A workflow as the JSON of an answer: its document is in it as it was written. */
export function shownWorkflow(header: WorkflowHeader, document: string): string {
  const { document: _, ...fields } = header;
  return `${JSON.stringify(fields).slice(0, -1)},${document.slice(1)}`;
}

export const WorkflowData = dataAnswer(WorkflowAnswer);
export const WorkflowChanged = changeAnswer(WorkflowAnswer);
export const WorkflowList = listAnswer(WorkflowAnswer);

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
