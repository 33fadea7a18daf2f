import type { Frame, ThreadProfile } from './profile.ts';

/** Where processor time goes, in the order of the table. The last layers belong to the local host: AWS does their work elsewhere. */
export const layers = {
  client: { title: 'table client (SDK, signing, JSON of the database)', onAws: true },
  nodeHttp: { title: 'Node HTTP and sockets below it', onAws: true },
  zod: { title: 'zod', onAws: true },
  rules: { title: 'rules and table layer', onAws: true },
  kernel: { title: 'kernel and response', onAws: true },
  tokens: { title: 'tokens and passwords', onAws: true },
  others: { title: 'other packages and Node.js', onAws: true },
  garbage: { title: 'garbage collection', onAws: true },
  native: { title: 'native code and input/output', onAws: true },
  streams: { title: 'local: stream readers', onAws: false },
  gateway: { title: 'local: gateway, HTTP, pool, messages, logs', onAws: false },
} as const;

export type Layer = keyof typeof layers;

/** By the path of a file that a function's thread runs; the first pattern that matches. */
const functionLayers: readonly (readonly [RegExp, Layer])[] = [
  [/^node_modules\/(@aws-sdk|@aws-crypto|@smithy|@aws)\/|^infra\/environment-credentials/, 'client'],
  [/^shared\/table\/dynamodb-(client|http|protocol|signer|errors|items|values|metering)/, 'client'],
  [
    /^node:(_http|http|https|net|tls|_tls|internal\/(http|net|streams|stream_base)|stream|_stream)/,
    'nodeHttp',
  ],
  [/^node_modules\/zod\//, 'zod'],
  [/^node_modules\/jose\//, 'tokens'],
  [/^shared\/auth\//, 'tokens'],
  [/^(shared\/kernel|node_modules\/@middy)\//, 'kernel'],
  [/^(shared|functions)\//, 'rules'],
  [/^function:|^asset:/, 'kernel'],
  // The module of a worker, which takes events and returns results.
  [/^infra\/local\//, 'gateway'],
  [/^node:internal\/(worker|per_context\/messageport)|^node:worker_threads/, 'gateway'],
];

/** The same for the main thread. */
const hostLayers: readonly (readonly [RegExp, Layer])[] = [
  [/^infra\/local\/(stream|event-source|filter-pattern|durable-file|expiry)/, 'streams'],
  [/^node_modules\/(@aws-sdk|@aws-crypto|@smithy|@aws)\//, 'streams'],
  [/^infra\//, 'gateway'],
];

/** Milliseconds of processor time by layer, and the self time of each function. */
export interface Flame {
  readonly byLayer: ReadonlyMap<Layer, number>;
  /** `layer | function file`, the longest first. */
  readonly functions: readonly (readonly [name: string, milliseconds: number])[];
}

/** @param sourceOf the path of a frame's file. */
export function flameOf(threads: readonly ThreadProfile[], sourceOf: (frame: Frame) => string): Flame {
  const byLayer = new Map<Layer, number>();
  const functions = new Map<string, number>();
  for (const { isMain, profile } of threads) {
    for (const [frames, milliseconds] of stacksOf(profile)) {
      const layer = layerOf(frames, isMain, sourceOf);
      const [leaf] = frames;
      if (layer !== undefined && leaf !== undefined) {
        const name = `${layer} | ${leaf.functionName || '(anonymous)'} ${sourceOf(leaf)}`.trimEnd();
        byLayer.set(layer, (byLayer.get(layer) ?? 0) + milliseconds);
        functions.set(name, (functions.get(name) ?? 0) + milliseconds);
      }
    }
  }
  return { byLayer, functions: [...functions].sort(([, a], [, b]) => b - a) };
}

/** The layer of a stack, by its innermost frame that belongs to one; undefined while the thread waits. */
function layerOf(
  frames: readonly Frame[],
  isMain: boolean,
  sourceOf: (frame: Frame) => string,
): Layer | undefined {
  switch (frames[0]?.functionName) {
    case '(idle)':
    case '(root)':
      return undefined;
    case '(garbage collector)':
      return isMain ? 'gateway' : 'garbage';
    case '(program)':
      return isMain ? 'gateway' : 'native';
  }
  const patterns = isMain ? hostLayers : functionLayers;
  for (const frame of frames) {
    const source = sourceOf(frame);
    const found = patterns.find(([pattern]) => pattern.test(source));
    if (found !== undefined) {
      return found[1];
    }
  }
  return isMain ? 'gateway' : 'others';
}

/** Each stack of a profile, its innermost frame first, with the milliseconds that were spent in that frame. */
function* stacksOf({ nodes, samples, timeDeltas }: ThreadProfile['profile']): Generator<[Frame[], number]> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const times = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1_000);
  }
  for (const [id, milliseconds] of times) {
    const frames: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      if (node !== undefined) {
        frames.push(node.callFrame);
      }
    }
    yield [frames, milliseconds];
  }
}
