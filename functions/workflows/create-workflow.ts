import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { commitCounted, trialLimits } from '../../shared/organizations/trial-records.ts';
import { respondToChange } from './model/definition/check.ts';
import { compileDocument } from './model/definition/compile-plan.ts';
import { newDocument, sentMembers } from './model/definition/document.ts';
import { commitDocument, packedDocument } from './model/definition/documents.ts';
import { newHeader, withPlan } from './model/definition/workflow.ts';
import {
  NewWorkflow,
  WorkflowChanged,
  workflowFieldDescriptions,
  workflowLimits,
} from './model/definition/workflow-schemas.ts';
import { workflowEvent, workflowWrites } from './model/definition/workflow-writes.ts';
import { preparePlanWrites } from './model/triggers/plan-writes.ts';

export default operation({
  route: 'POST /api/workflows',
  summary: 'Create a workflow',
  description: [
    'You become its owner. An enabled workflow runs: `GET /api/workflow-node-types` says what nodes, edges and `settings` mean. An unfinished graph is accepted; `message` says how many problems it has, and `GET /api/workflows/{id}/check` lists them. Extra properties are stored and returned exactly as they were sent, as are nodes and edges. [Workflows](#/Workflows) has the defaults.',
    'A name that another workflow of the organization has, or a key that appears twice in one object, is refused with 400. Enabling more than 50 workflows with a trigger for the same event, except `manual.started`, gets 409. Until a SUPERADMIN approves an organization, it may create 100 workflows a day, unless the operator of the service has switched that off.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  status: 201,
  body: NewWorkflow,
  bodyLimit: workflowLimits.bodyBytes,
  descriptions: workflowFieldDescriptions,
  output: WorkflowChanged,
  failures: ['NAME_TAKEN', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  limits: [trialLimits.workflows],
  example: {
    body: {
      name: 'Follow up after three days',
      description: 'Greets everyone who applies.',
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, data: { event: 'application.created' } },
        { id: 'greet', type: 'sendMessage', position: { x: 0, y: 140 }, data: { template: demo.template } },
      ],
      edges: [{ id: 'start-greet', source: 'start', target: 'greet' }],
      viewport: { x: 0, y: 0, zoom: 1 },
      enabled: true,
    },
  },
  uses: { table: 'write', objects: 'documents', trialPolicy: 'read' },
  async run({ body, sent }, { table, objects, trialPolicy, caller, now, newId }) {
    const document = newDocument(sentMembers(sent));
    const compiled = compileDocument(document);
    const packed = packedDocument(document, newId());
    const draft = newHeader(newId(), caller, body, packed.location, timestamp(now));
    const eventId = newId();
    const plan = await preparePlanWrites(
      { table, now, newId },
      { before: undefined, after: draft, compiled, confirms: true, movesRuns: false },
    );
    const header = withPlan(draft, plan);
    const ofPlan = { plan: plan.packed, announced: plan.announced };
    const actions = [
      ...workflowWrites(table, undefined, header),
      ...plan.actions,
      eventAction(table, workflowEvent('created', header), eventId, now),
    ];
    const commit = commitCounted({ table, trialPolicy, now }, 'workflows', (counted) =>
      commitDocument({ table, objects, now }, header._id, { after: packed, ...ofPlan }, [
        ...actions,
        ...counted,
      ]),
    );
    const sources = { table, caller, trialPolicy };
    return respondToChange(sources, { header, document, compiled }, 'Workflow created', commit);
  },
});
