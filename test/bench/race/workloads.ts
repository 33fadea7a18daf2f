import type { Totals } from './peer/statements.ts';
import type { RequestKind } from './requests.ts';

/** One row of the tables. */
export interface Workload {
  /** The name in the tables. */
  readonly title: string;
  /** The name for `--only`. */
  readonly name: string;
  readonly kind: RequestKind;
  /** The peers to compare with: one, unless it makes a difference how totals come about. */
  readonly peers: readonly Totals[];
  /** No cache may help: because the stages were renamed, or because everything was restarted. */
  readonly cold?: 'renamed' | 'restarted';
  /** Runs in an organization without contacts, before the table has any. */
  readonly isBeforeLoad?: true;
  readonly beside?: readonly { readonly kind: RequestKind; readonly perSecond: number }[];
}

const both = ['counted', 'kept'] as const;
const one = ['counted'] as const;
/** Contacts a second that are created during a mixed load; as many are moved. */
const perSecond = 20;

/** In order: those that change contacts come last, because the others are checked against the loaded contacts. */
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
