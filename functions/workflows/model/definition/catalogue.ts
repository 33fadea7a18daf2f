import { addTags, assign, moveStage, removeTags, updateContact } from './contact-nodes.ts';
import {
  condition,
  httpRequest,
  split,
  startWorkflow,
  stop,
  stopOthers,
  switchNode,
  trigger,
} from './flow-nodes.ts';
import { readData } from './node-data.ts';
import type { AnyNodeType, Reference } from './node-type.ts';
import type { Plan, PlanNode } from './plan.ts';
import {
  addNote,
  createApplication,
  createReminder,
  moveApplication,
  notifyUser,
  resolveConversation,
  sendMessage,
} from './record-nodes.ts';
import { delay, waitForEvent, waitUntil } from './wait-nodes.ts';

/** All types of nodes, sorted by name. */
export const nodeTypes: readonly AnyNodeType[] = [
  addNote,
  addTags,
  assign,
  condition,
  createApplication,
  createReminder,
  delay,
  httpRequest,
  moveApplication,
  moveStage,
  notifyUser,
  removeTags,
  resolveConversation,
  sendMessage,
  split,
  startWorkflow,
  stop,
  stopOthers,
  switchNode,
  trigger,
  updateContact,
  waitForEvent,
  waitUntil,
];

const byName: ReadonlyMap<string, AnyNodeType> = new Map(
  nodeTypes.map((nodeType) => [nodeType.type, nodeType]),
);

/** The type with this name. Its data must be parsed with its schema before anything is asked of it. */
export function nodeTypeNamed(type: string): AnyNodeType | undefined {
  return byName.get(type);
}

/** The name beside its id by which fields may refer to the last step at the node. */
export function otherName({ type, data }: Pick<PlanNode, 'type' | 'data'>): string | undefined {
  const name = nodeTypeNamed(type)?.savesAs?.(data);
  return typeof name === 'string' ? name : undefined;
}

/** Records of one kind that are looked up: more than anybody names, and few to read. */
export const maxLookedUp = 100;

export interface Named extends Reference {
  readonly nodeId: string;
}

/** The references of the nodes, and whether one of them sends from the default number of the owner. */
export function referencesIn({ nodes }: Plan): {
  readonly named: readonly Named[];
  readonly sendsByDefault: boolean;
} {
  const named: Named[] = [];
  let sendsByDefault = false;
  for (const { id: nodeId, type, data } of Object.values(nodes)) {
    const { schema, references, sendsByDefault: sends } = nodeTypeNamed(type) ?? {};
    const read = schema && references && readData(schema, data);
    if (read?.success) {
      named.push(...(references?.(read.data) ?? []).map((reference) => ({ ...reference, nodeId })));
      sendsByDefault ||= sends?.(read.data) === true;
    }
  }
  return { named, sendsByDefault };
}

/** The ids of the records of a kind that are looked up, each once. */
export const idsToLookUp = (named: readonly Named[], kind: Reference['kind']): string[] =>
  [...new Set(named.filter((one) => one.kind === kind).map(({ id }) => id))].slice(0, maxLookedUp);
