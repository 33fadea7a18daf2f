import { event, type RandomGraph, type RandomNode } from './random-graph.ts';

/**
 * A run, told again from the description of workflows in the plainest way, on the graph as it was sent: nothing is compiled,
 * and who can reach what is walked anew each time.
 */
export interface NaiveRun {
  status: 'running' | 'waiting' | 'finished' | 'failed';
  reason: string | undefined;
  positions: Map<number, NaivePosition>;
  readonly path: string[];
  readonly begun: Set<number>;
  readonly ended: number[];
}

interface NaivePosition {
  node: string;
  state: 'goes' | 'timed' | 'at join';
  /** It has passed the join of its node. */
  joined?: boolean;
  /** The way on which its wait ended. */
  woken?: string;
  awaits?: boolean;
}

export function naiveRun(graph: RandomGraph): NaiveRun {
  const [first] = graph.nodes as [RandomNode];
  return {
    status: 'running',
    reason: undefined,
    positions: new Map([[1, { node: first.id, state: 'goes' }]]),
    path: [],
    begun: new Set([1]),
    ended: [],
  };
}

/** Wakes a token that waits for a time. */
export function naiveWake(run: NaiveRun, n: number, received: boolean): void {
  const position = run.positions.get(n) as NaivePosition;
  const late = position.awaits ? 'timeout' : '';
  run.positions.set(n, { ...position, state: 'goes', woken: received ? 'received' : late });
  run.status = 'running';
}

/**
 * Takes the next step of a token.
 * @param way the one that a split takes.
 * @param fails whether work fails.
 */
export function naiveStep(
  graph: RandomGraph,
  run: NaiveRun,
  n: number,
  way: string | undefined,
  fails: boolean,
) {
  const position = run.positions.get(n) as NaivePosition;
  const node = graph.nodes.find(({ id }) => id === position.node);
  const told = (status: string, along = '', reason = '') =>
    run.path.push([position.node, node?.type ?? 'missing', status, along, reason].join('|'));
  if (node === undefined) {
    told('skipped', '', 'dangling_edge');
    return go(graph, run, n, []);
  }
  const others = [...run.positions].filter(([other]) => other !== n);
  const isJoin = node.data.join === 'all';
  if (isJoin && position.woken === undefined) {
    const isLast = position.joined || !others.some(([, other]) => canCome(graph, other, node.id));
    if (!isLast) {
      told('waiting');
      position.state = 'at join';
      return settle(graph, run);
    }
    for (const [other, { node: at, state }] of others) {
      if (at === node.id && state === 'at join') {
        end(run, other);
      }
    }
  }
  if (position.woken !== undefined && node.type !== 'work') {
    told('passed', position.woken);
    return go(graph, run, n, targets(graph, node.id, position.woken));
  }
  const does = whatItDoes(node, way);
  if (does.status === 'waiting') {
    told('waiting');
    run.positions.set(n, {
      node: node.id,
      state: 'timed',
      awaits: node.type === 'waitForEvent',
      ...(isJoin && { joined: true }),
    });
    return settle(graph, run);
  }
  if (does.status === 'stop') {
    told('passed');
    for (const token of [...run.positions.keys()]) {
      end(run, token);
    }
    run.status = 'finished';
    run.reason = 'stopped';
    return;
  }
  if (node.type === 'work' && fails) {
    const onError = edges(graph, node.id, 'error');
    told('failed', onError.length > 0 ? 'error' : '', 'It did not work.');
    if (onError.length === 0) {
      run.status = 'failed';
      run.reason = 'It did not work.';
      return;
    }
    return go(graph, run, n, onError);
  }
  told(does.status, does.way, does.reason);
  go(graph, run, n, targets(graph, node.id, does.way));
}

interface Doing {
  readonly status: string;
  readonly way: string;
  readonly reason: string;
}

function whatItDoes({ type, data }: RandomNode, way = ''): Doing {
  const passed = (along = '') => ({ status: 'passed', way: along, reason: '' });
  const skipped = (reason: string) => ({ status: 'skipped', way: '', reason });
  const waiting = { status: 'waiting', way: '', reason: '' };
  switch (type) {
    case 'nobodyKnows':
      return skipped('unknown_type');
    case 'work':
      return passed();
    case 'stop':
      return { ...passed(), status: 'stop' };
    case 'trigger':
      return data.event === undefined ? skipped('invalid_data') : passed();
    default:
      if (data.rules === 7) {
        return skipped('invalid_data');
      }
  }
  switch (type) {
    case 'condition': {
      const [{ value } = { value: undefined }] = data.rules as { value: boolean }[];
      return passed(String(event.flag === value));
    }
    case 'switch':
      return passed((data.cases as string[]).includes(event.kind) ? event.kind : '');
    case 'split':
      return passed(way);
    case 'waitUntil':
      return data.at === '2026-01-01' ? passed() : waiting;
    default:
      return waiting;
  }
}

const edges = (graph: RandomGraph, source: string, way: string) => [
  ...new Set(
    graph.edges
      .filter((edge) => edge.source === source && (edge.sourceHandle ?? '') === way)
      .map(({ target }) => target),
  ),
];

function targets(graph: RandomGraph, source: string, way: string): string[] {
  const along = edges(graph, source, way);
  return along.length > 0 ? along : edges(graph, source, '');
}

function go(graph: RandomGraph, run: NaiveRun, n: number, to: readonly string[]): void {
  const [first, ...others] = to;
  if (first === undefined) {
    end(run, n);
  } else {
    run.positions.set(n, { node: first, state: 'goes' });
  }
  for (const node of others) {
    const born = Math.max(...run.begun) + 1;
    run.begun.add(born);
    run.positions.set(born, { node, state: 'goes' });
  }
  settle(graph, run);
}

function end(run: NaiveRun, n: number): void {
  run.positions.delete(n);
  run.ended.push(n);
}

/** Lets go on whoever waits at a join for nobody any more. */
function settle(graph: RandomGraph, run: NaiveRun): void {
  const atJoins = [...run.positions].filter(([, { state }]) => state === 'at join');
  const isFree = (join: string) =>
    [...run.positions].every(
      ([, position]) =>
        (position.node === join && position.state === 'at join') || !canCome(graph, position, join),
    );
  const joins = new Set(atJoins.map(([, { node }]) => node));
  let passing = [...joins].filter(isFree);
  if (passing.length === 0 && atJoins.length === run.positions.size && atJoins.length > 0) {
    const [, lowest] = atJoins.reduce((one, other) => (other[0] < one[0] ? other : one));
    passing = [lowest.node];
  }
  for (const join of passing) {
    const there = atJoins.filter(([, { node }]) => node === join).map(([n]) => n);
    const lowest = Math.min(...there);
    for (const n of there) {
      if (n === lowest) {
        run.positions.set(n, { node: join, state: 'goes', joined: true });
      } else {
        end(run, n);
      }
    }
  }
  const states = [...run.positions.values()].map(({ state }) => state);
  if (states.length === 0) {
    run.status = 'finished';
  } else if (states.length > 50 || run.path.length >= 1_000) {
    run.status = 'failed';
    run.reason = 'too_long';
    for (const n of [...run.positions.keys()]) {
      end(run, n);
    }
  } else {
    run.status = states.includes('goes') ? 'running' : 'waiting';
  }
}

/** Whether a token that is here can still come to the join: it is on its way into it, or edges lead from where it is. */
function canCome(graph: RandomGraph, position: NaivePosition, join: string): boolean {
  if (position.node === join && !position.joined) {
    return position.state !== 'at join';
  }
  return canReach(graph, position.node, join);
}

const walks = new WeakMap<RandomGraph, Map<string, Set<string>>>();

function canReach(graph: RandomGraph, from: string, to: string): boolean {
  const known = walks.get(graph) ?? new Map<string, Set<string>>();
  walks.set(graph, known);
  let reached = known.get(from);
  if (reached === undefined) {
    reached = new Set();
    let before = -1;
    while (reached.size > before) {
      before = reached.size;
      for (const { source, target } of graph.edges) {
        if (source === from || reached.has(source)) {
          reached.add(target);
        }
      }
    }
    known.set(from, reached);
  }
  return reached.has(to);
}
