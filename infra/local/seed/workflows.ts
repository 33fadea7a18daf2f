import { newDocument } from '../../../functions/workflows/model/document.ts';
import { documentSteps, packedDocument } from '../../../functions/workflows/model/documents.ts';
import { newHeader } from '../../../functions/workflows/model/workflow.ts';
import { workflowWrites } from '../../../functions/workflows/model/workflow-writes.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { after, day, timestamp } from '../../../shared/kernel/time.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import type { Founded } from './accounts.ts';
import type { Randomness } from './randomness.ts';

interface Sample {
  readonly _id?: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  /** What triggers it, and the templates of the messages sent after that. */
  readonly event: string;
  readonly templates: readonly string[];
  /** Further properties. */
  readonly more?: Readonly<Record<string, unknown>>;
}

const samples: readonly Sample[] = [
  {
    owner: 'admin@example.com',
    _id: demo.workflow,
    name: 'Welcome new applicants',
    description: 'Greets everybody who applies, and asks for the papers.',
    enabled: true,
    event: 'application.created',
    templates: ['Welcome', 'Papers needed'],
    more: { tags: ['onboarding'] },
  },
  {
    owner: 'admin@example.com',
    _id: demo.spareWorkflow,
    name: 'Ask for a review',
    description: 'A week after a deal is won.',
    enabled: false,
    event: 'contact.won',
    templates: ['Review'],
  },
  {
    owner: 'head@example.com',
    name: 'Missed call',
    description: 'Says that we call back.',
    enabled: true,
    event: 'call.missed',
    templates: ['Missed call'],
    more: { businessHoursOnly: true },
  },
  {
    owner: 'rep@example.com',
    name: 'Appointment reminders',
    description: 'The day before, and again in the morning.',
    enabled: true,
    event: 'appointment.tomorrow',
    templates: ['Appointment tomorrow', 'Appointment today'],
  },
  {
    owner: 'rep@example.com',
    name: 'Win back (draft)',
    description: '',
    enabled: false,
    event: 'contact.silent',
    templates: [],
  },
  {
    owner: 'matteo@example.com',
    name: 'Spring offer',
    description: 'Three messages in two weeks.',
    enabled: true,
    event: 'campaign.started',
    templates: ['Spring offer', 'Spring offer, again', 'Spring offer ends'],
  },
];

/** Workflows of several users. */
export function workflowSteps(
  table: TableWriter,
  { users }: Founded,
  random: Randomness,
  foundedAt: Date,
): Step[] {
  return samples.flatMap(({ _id, owner, name, description, enabled, more, ...graph }, index) => {
    const user = users.find(({ email }) => email === owner);
    if (user === undefined) {
      return [];
    }
    const at = after(foundedAt, (index + 1) * day);
    const document = packedDocument(documentWith({ ...graphOf(graph), ...more }), random.idAt(at));
    const { _id: userId, organizationId } = user;
    const header = newHeader(
      _id ?? random.idAt(at),
      { userId, organizationId },
      { name, description, enabled },
      document.place,
      timestamp(at),
    );
    return [
      ...workflowWrites(table, undefined, header),
      ...documentSteps(table, undefined, header._id, document),
    ];
  });
}

function documentWith(members: Readonly<Record<string, unknown>>): string {
  return newDocument(new Map(Object.entries(members).map(([key, value]) => [key, JSON.stringify(value)])));
}

/** A trigger with the messages below it, one after the other. */
function graphOf({ event, templates }: Pick<Sample, 'event' | 'templates'>) {
  const messages = templates.map((template, index) => ({
    id: `message-${index + 1}`,
    type: 'sendMessage',
    position: { x: 0, y: 140 * (index + 1) },
    data: { template },
  }));
  const nodes = [{ id: 'trigger', type: 'trigger', position: { x: 0, y: 0 }, data: { event } }, ...messages];
  const edges = messages.map(({ id }, index) => ({
    id: `edge-${index + 1}`,
    source: nodes[index]?.id ?? '',
    target: id,
  }));
  return { nodes, edges };
}
