import createWorkflow from '../../../functions/workflows/create-workflow.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import type { Past } from './past.ts';

/** `event` triggers each of them, and it sends the `templates` of these names; `more` are further properties. */
const samples = [
  {
    owner: demo.admin,
    _id: demo.workflow,
    name: 'Welcome new applicants',
    description: 'Greets everybody who applies, and asks for the papers.',
    enabled: true,
    event: 'application.created',
    templates: ['Welcome', 'Papers needed'],
    more: { tags: ['onboarding'] },
  },
  {
    owner: demo.admin,
    _id: demo.spareWorkflow,
    name: 'Ask for a review',
    description: 'A week after a deal is won.',
    enabled: false,
    event: 'contact.won',
    templates: ['Review'],
  },
  {
    owner: demo.head,
    name: 'Missed call',
    description: 'Says that we call back.',
    enabled: true,
    event: 'call.missed',
    templates: ['Missed call'],
    more: { businessHoursOnly: true },
  },
  {
    owner: demo.rep,
    name: 'Appointment reminders',
    description: 'The day before, and again in the morning.',
    enabled: true,
    event: 'appointment.tomorrow',
    templates: ['Appointment tomorrow', 'Appointment today'],
  },
  {
    owner: demo.rep,
    name: 'Win back (draft)',
    description: '',
    enabled: false,
    event: 'contact.silent',
    templates: [],
  },
  {
    owner: demo.matteo,
    name: 'Spring offer',
    description: 'Three messages in two weeks.',
    enabled: true,
    event: 'campaign.started',
    templates: ['Spring offer', 'Spring offer, again', 'Spring offer ends'],
  },
];

/** Workflows of several users, one a day from here on. */
export async function createWorkflows(past: Past, from: Date): Promise<void> {
  for (const [index, { _id, owner, event, templates, more, ...fields }] of samples.entries()) {
    const at = after(from, (index + 1) * day);
    const body = { ...fields, ...graphOf(event, templates), ...more };
    await past.run(createWorkflow, { at, by: owner, body, ids: [undefined, _id] });
  }
}

/** A trigger with the messages below it, one after the other. */
function graphOf(event: string, templates: readonly string[]) {
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
