import * as demo from '../../../shared/kernel/demo-ids.ts';
import { fixedIds } from './randomness.ts';

const [missedCall = '', won = '', silence = '', optOut = ''] = Array.from({ length: 4 }, fixedIds(7));

/** Ids of the workflows that have runs. */
export const ids = { newLead: demo.workflow, missedCall, won, silence, optOut } as const;

type Node = readonly [id: string, type: string, data: object];
/** The source, the target, and the way out of the source. */
type Edge = readonly [source: string, target: string, way?: string];

interface Sample {
  readonly _id?: string;
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** Further properties. */
  readonly more?: object;
}

const trigger = (id: string, event: string, filter?: object[]): Node => [
  id,
  'trigger',
  { event, ...(filter && { filter }) },
];

/** The running workflows of a team, a finished campaign, and two drafts. */
export const samples: readonly Sample[] = [
  {
    _id: ids.newLead,
    owner: demo.admin,
    name: 'Welcome new leads',
    description: 'Greets everybody who leaves a number or applies, and finds somebody to look after them.',
    enabled: true,
    nodes: [
      trigger('lead', 'lead.received'),
      trigger('applied', 'application.created'),
      trigger('by-hand', 'manual.started'),
      ['welcome', 'sendMessage', { template: demo.template }],
      ['reply', 'waitForEvent', { event: 'message.received', timeout: { value: 1, unit: 'days' } }],
      [
        'nudge',
        'sendMessage',
        { content: 'Hi {{firstName|there}}, shall we call you? Just answer with a time that suits you.' },
      ],
      ['assign', 'assign', { roundRobin: [demo.rep, demo.yuki, demo.matteo] }],
    ],
    edges: [
      ['lead', 'welcome'],
      ['applied', 'welcome'],
      ['by-hand', 'welcome'],
      ['welcome', 'reply'],
      ['reply', 'assign', 'received'],
      ['reply', 'nudge', 'timeout'],
      ['nudge', 'assign'],
    ],
    more: { tags: ['onboarding'] },
  },
  {
    _id: ids.missedCall,
    owner: demo.head,
    name: 'Missed call: text and task',
    description: 'Has somebody call back, and texts those who get no text otherwise.',
    enabled: true,
    nodes: [
      trigger('missed', 'call.missed'),
      [
        'texted',
        'condition',
        { rules: [{ field: 'event.textOutcome', operator: 'in', value: ['sent', 'scheduled'] }] },
      ],
      [
        'text',
        'sendMessage',
        { content: 'Hello {{firstName|there}}, sorry we missed you! We will call you back.' },
      ],
      ['task', 'createReminder', { note: 'Call {{fullName}} back', in: { value: 15, unit: 'minutes' } }],
    ],
    edges: [
      ['missed', 'texted'],
      ['texted', 'task', 'true'],
      ['texted', 'text', 'false'],
      ['text', 'task'],
    ],
  },
  {
    _id: ids.won,
    owner: demo.admin,
    name: 'Won: application and note',
    description: 'Opens the application of every deal that is won.',
    enabled: true,
    nodes: [
      trigger('won', 'contact.stage_changed', [{ field: 'event.stage', operator: 'equals', value: 'Won' }]),
      ['application', 'createApplication', { name: 'First order of {{fullName}}' }],
      ['note', 'addNote', { note: 'Won, coming from “{{event.fromStage}}”. The application is open.' }],
    ],
    edges: [
      ['won', 'application'],
      ['application', 'note'],
    ],
  },
  {
    _id: ids.silence,
    owner: demo.rep,
    name: 'No answer in three days',
    description: 'Reminds of those who do not answer.',
    enabled: true,
    nodes: [
      trigger('sent', 'message.sent'),
      ['answer', 'waitForEvent', { event: 'message.received', timeout: { value: 3, unit: 'days' } }],
      ['remind', 'createReminder', { note: 'Call {{fullName}}: no answer', in: { value: 1, unit: 'hours' } }],
      ['tag', 'addTags', { tags: ['no answer'] }],
    ],
    edges: [
      ['sent', 'answer'],
      ['answer', 'remind', 'timeout'],
      ['remind', 'tag'],
    ],
  },
  {
    _id: ids.optOut,
    owner: demo.admin,
    name: 'Opt-out: clean up',
    description: 'Whoever wants no more texts gets no campaigns either.',
    enabled: true,
    nodes: [
      trigger('out', 'contact.opted_out'),
      ['stop', 'stopOthers', {}],
      ['tags', 'removeTags', { tags: ['wholesale', 'callback'] }],
      ['newsletter', 'updateContact', { set: { setCustomFields: { newsletter: false } } }],
      ['note', 'addNote', { note: '{{firstName}} wants no more text messages.' }],
    ],
    edges: [
      ['out', 'stop'],
      ['stop', 'tags'],
      ['tags', 'newsletter'],
      ['newsletter', 'note'],
    ],
  },
  {
    _id: demo.spareWorkflow,
    owner: demo.admin,
    name: 'Ask for a review',
    description: 'A week after a deal is won.',
    enabled: false,
    nodes: [
      trigger('won', 'contact.stage_changed', [{ field: 'event.stage', operator: 'equals', value: 'Won' }]),
      ['week', 'delay', { value: 1, unit: 'weeks' }],
      ['ask', 'sendMessage', { content: 'Hi {{firstName}}, how do you like it? We read every answer.' }],
    ],
    edges: [
      ['won', 'week'],
      ['week', 'ask'],
    ],
  },
  {
    owner: demo.rep,
    name: 'Win back (draft)',
    description: '',
    enabled: false,
    nodes: [],
    edges: [],
  },
];

/** The graph as an editor stores it, with one node below the other. */
export function graphOf({ nodes, edges }: Pick<Sample, 'nodes' | 'edges'>) {
  return {
    nodes: nodes.map(([id, type, data], index) => ({ id, type, position: { x: 0, y: 140 * index }, data })),
    edges: edges.map(([source, target, sourceHandle]) => ({
      id: `${source}-${target}`,
      source,
      target,
      ...(sourceHandle !== undefined && { sourceHandle }),
    })),
  };
}
