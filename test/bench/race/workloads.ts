import type { Totals } from './peer/statements.ts';
import type { RequestKind } from './requests.ts';

/** One of the things that are measured. */
export interface Workload {
  /** In the tables. */
  readonly title: string;
  /** For `--only`. */
  readonly name: string;
  readonly kind: RequestKind;
  /** The peers for which it can make a difference how totals come about. */
  readonly peers: readonly Totals[];
  /** Nothing that is kept in memory may help: because the stages have new names, or because everything has been started anew. */
  readonly cold?: 'renamed' | 'restarted';
  /** In an organization without contacts, before there are any in the table. */
  readonly isBeforeLoad?: true;
  readonly beside?: readonly { readonly kind: RequestKind; readonly perSecond: number }[];
}

const both = ['counted', 'kept'] as const;
const one = ['counted'] as const;
/** In the time of a mixed load, contacts a second that are created, and as many that are moved. */
const perSecond = 20;

/** In their order: those that change contacts come after all that are compared with the truth. */
export const workloads: readonly Workload[] = [
  {
    title: 'contact create, empty table',
    name: 'create-empty',
    kind: 'create',
    peers: both,
    isBeforeLoad: true,
  },
  { title: 'health check', name: 'health', kind: 'health', peers: one },
  { title: 'board, warm', name: 'board', kind: 'board', peers: both },
  { title: 'board, nothing cached', name: 'board-cold', kind: 'board', peers: both, cold: 'renamed' },
  { title: 'search asked before, first hits', name: 'search', kind: 'search: first hits', peers: one },
  { title: 'search asked before, rare digits', name: 'search', kind: 'search: rare digits', peers: one },
  { title: 'search asked before, no hit', name: 'search', kind: 'search: no hit', peers: one },
  { title: 'search, a new text each time', name: 'search', kind: 'search: new texts', peers: one },
  {
    title: 'search, nothing cached',
    name: 'search-cold',
    kind: 'search: first hits',
    peers: one,
    cold: 'restarted',
  },
  { title: 'login, same native hash', name: 'login', kind: 'login', peers: one },
  {
    title: "login, peer with Node.js' hash",
    name: 'login-node-hash',
    kind: 'login: node:crypto',
    peers: one,
  },
  {
    title: `board, while ${perSecond} contacts/s are created and moved`,
    name: 'board-busy',
    kind: 'board',
    peers: both,
    beside: [
      { kind: 'create', perSecond },
      { kind: 'move', perSecond },
    ],
  },
  { title: 'contact edit', name: 'edit', kind: 'edit', peers: one },
  { title: 'contact move', name: 'move', kind: 'move', peers: both },
  { title: 'one text in', name: 'text', kind: 'text', peers: one },
  { title: 'one lead in', name: 'lead', kind: 'lead', peers: one },
  { title: 'contact create, full table', name: 'create', kind: 'create', peers: both },
];

export const workloadNames: readonly string[] = [...new Set(workloads.map(({ name }) => name))];
