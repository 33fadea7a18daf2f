import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DueOperation } from '../shared/events/due-operation.ts';
import type { Operation } from '../shared/kernel/operation.ts';
import type { Tag } from '../shared/kernel/tag.ts';
import type {
  AuthorizerOperation,
  DeploymentOperation,
  OrderedQueueOperation,
  QueueOperation,
  ScheduleOperation,
  SocketOperation,
  StreamOperation,
} from '../shared/kernel/trigger.ts';
import { projectRoot } from './project.ts';
import { withoutParameterNames } from './route-keys.ts';

export type AnyOperation =
  | Operation
  | SocketOperation
  | StreamOperation
  | QueueOperation
  | OrderedQueueOperation
  | ScheduleOperation
  | DueOperation
  | AuthorizerOperation
  | DeploymentOperation;

/** An operation and its file. */
export interface Registered<O extends AnyOperation = AnyOperation> {
  /** The name of the file, and so of the function, its log lines, its tests and the operation in the documentation. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  /** The folder under `functions/`: the operation's capability. */
  readonly folder: string;
  /** The tags of its capability in the documentation; none for one that clients cannot call. */
  readonly tags: readonly Tag[];
  readonly operation: O;
}

const kinds: ReadonlySet<unknown> = new Set<AnyOperation['kind']>([
  'http',
  'socket',
  'stream',
  'queue',
  'orderedQueue',
  'schedule',
  'due',
  'authorizer',
  'deployment',
]);

/** Files that are not operations: the code that a capability's operations share, and its tags. */
const isBeside = /^[^/]+\/(model\/.*|tag\.ts)$/;

/**
 * Every operation of the product, ordered by file. The folder is the registry; there is no other list.
 * @throws when a file is not an operation, or when two operations share a name or a trigger.
 */
export async function loadOperations(directory = join(projectRoot, 'functions')): Promise<Registered[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((path) => !isBeside.test(path))
    .sort();
  const registered = await Promise.all(files.map((path) => registeredFrom(directory, path)));
  refuseDuplicates(registered);
  return registered;
}

export function ofKind<K extends AnyOperation['kind']>(
  all: readonly Registered[],
  kind: K,
): Registered<Extract<AnyOperation, { kind: K }>>[] {
  return all.filter(
    (entry): entry is Registered<Extract<AnyOperation, { kind: K }>> => entry.operation.kind === kind,
  );
}

async function registeredFrom(directory: string, path: string): Promise<Registered> {
  const file = join(directory, path);
  const [, folder, name] = /^([a-z][a-z-]*)\/([a-z][a-z0-9-]*)\.ts$/.exec(path) ?? [];
  if (folder === undefined || name === undefined) {
    throw new Error(
      `${file}: an operation is a file functions/<capability>/<verb-noun>.ts in kebab case; what operations share belongs in functions/<capability>/model.`,
    );
  }
  const [operation, tags] = await Promise.all([
    defaultOf(file),
    // A capability that clients cannot call has no tags.
    defaultOf(join(directory, folder, 'tag.ts')),
  ]);
  if (!isOperation(operation)) {
    throw new Error(`${file}: the default export must be an operation, as operation({…}) makes one.`);
  }
  const known = (tags ?? []) as readonly Tag[];
  return { name, file, folder, tags: known, operation: grouped(operation, known) };
}

/** The operation with its group, which is the first one of its capability unless it names another. */
function grouped(operation: AnyOperation, [first]: readonly Tag[]): AnyOperation {
  return operation.kind === 'http' && operation.tag === undefined && first !== undefined
    ? { ...operation, tag: first.name }
    : operation;
}

/** The default export of a module; undefined if the file does not exist. */
async function defaultOf(file: string): Promise<unknown> {
  if (!existsSync(file)) {
    return undefined;
  }
  const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  return module.default;
}

function isOperation(value: unknown): value is AnyOperation {
  return typeof value === 'object' && value !== null && 'kind' in value && kinds.has(value.kind);
}

function refuseDuplicates(registered: readonly Registered[]): void {
  const taken = new Map<string, string>();
  for (const entry of registered) {
    for (const claim of [`the name ${entry.name}`, ...triggerOf(entry.operation)]) {
      const other = taken.get(claim);
      if (other !== undefined) {
        throw new Error(`${entry.file} and ${other} both have ${claim}; it must be unique.`);
      }
      taken.set(claim, entry.file);
    }
  }
}

/** Triggers that no two operations may share. */
function triggerOf(operation: AnyOperation): string[] {
  switch (operation.kind) {
    case 'http':
      return [`the route ${withoutParameterNames(operation.route)}`];
    case 'socket':
      return [`the socket route ${operation.on}`];
    case 'queue':
    case 'orderedQueue':
      return [`the queue ${operation.queue}`];
    case 'due':
      return [`the kind of what is due ${operation.on}`];
    case 'authorizer':
      return ['the kind authorizer'];
    case 'stream':
    case 'schedule':
    case 'deployment':
      return [];
  }
}
