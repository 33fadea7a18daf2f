import { type Randomness, randomness } from '../../harness/randomness.ts';

/** A graph as a client would send it, of nodes whose outcomes a model can tell. */
export interface RandomGraph {
  readonly nodes: readonly RandomNode[];
  readonly edges: readonly RandomEdge[];
}

export interface RandomNode {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

export interface RandomEdge {
  readonly source: string;
  readonly target: string;
  readonly sourceHandle?: string | null;
}

/** The event of every run. */
export const event = { flag: true, kind: 'b' };

const ways: Record<string, readonly string[]> = {
  condition: ['true', 'false'],
  switch: ['a', 'b'],
  split: ['x', 'y', 'z'],
  waitForEvent: ['received', 'timeout'],
  work: ['error'],
};

const names = ['first', 'constructor', '__proto__', 'a.b', 'toString', '7', ' ', '{{x}}'];

/** A graph of up to 60 nodes with circles, forks, joins, waits, edges that lead nowhere, types that nobody knows. */
export function randomGraph(seed: number): RandomGraph {
  const random = randomness(seed);
  const size = 1 + random.below(random.chance(0.2) ? 60 : 14);
  const joins = random.pick([0, 0.15, 0.5]);
  const nodes = Array.from({ length: size }, (_, index) => randomNode(random, index, joins));
  const circles = random.chance(0.3);
  const edges = Array.from({ length: Math.floor(size * (0.7 + random.next() * 0.9)) }, () =>
    randomEdge(random, nodes, circles),
  );
  return { nodes, edges };
}

function randomNode(random: Randomness, index: number, joins: number): RandomNode {
  const type = index === 0 ? 'trigger' : random.pick(types);
  const id = random.chance(0.1) ? `${random.pick(names)}${index === 0 ? '' : index}` : `n${index}`;
  const join = random.chance(joins) ? { join: 'all' } : {};
  return { id, type, data: { ...dataOf(type, random), ...join } };
}

/** `work` stands for a node with an effect: the test says what comes of it. */
const types = [
  ...['condition', 'switch', 'split', 'delay', 'waitForEvent', 'waitUntil', 'nobodyKnows'],
  ...['work', 'work', 'work', 'work', 'delay', 'waitForEvent', 'condition', 'trigger'],
  ...Array.from({ length: 20 }, () => 'work'),
  'stop',
];

function dataOf(type: string, random: Randomness): Record<string, unknown> {
  if (random.chance(0.04)) {
    return type === 'trigger' || type === 'stop' ? {} : { rules: 7, value: 'x', unit: [], field: null };
  }
  switch (type) {
    case 'trigger':
      return { event: 'contact.created' };
    case 'condition':
      return { rules: [{ field: 'event.flag', operator: 'equals', value: random.chance(0.5) }] };
    case 'switch':
      return { field: 'event.kind', cases: random.pick([['a', 'b'], ['b'], ['a'], []]) };
    case 'split':
      return { weights: { x: 1, y: 2, z: random.below(2) } };
    case 'delay':
      return { value: 1 + random.below(40), unit: random.pick(['seconds', 'minutes', 'days']) };
    case 'waitForEvent':
      return { event: 'message.received', timeout: { value: 1 + random.below(9), unit: 'days' } };
    case 'waitUntil':
      return { at: random.pick(['2026-01-01', '2030-01-01']) };
    default:
      return {};
  }
}

function randomEdge(random: Randomness, nodes: readonly RandomNode[], circles: boolean): RandomEdge {
  const from = random.below(nodes.length);
  const source = nodes[from] as RandomNode;
  const to = circles || from === nodes.length - 1 ? random.below(nodes.length) : undefined;
  const forward = from + 1 + random.below(Math.min(6, nodes.length - from - 1));
  const target = random.chance(0.03) ? 'nowhere' : (nodes[to ?? forward]?.id ?? 'nowhere');
  const own = ways[source.type];
  const isOwn = own !== undefined && random.chance(source.type === 'work' ? 0.15 : 0.8);
  const sourceHandle = isOwn ? random.pick(own) : random.pick([null, '', 'none']);
  return { source: source.id, target, ...(sourceHandle !== 'none' && { sourceHandle }) };
}
