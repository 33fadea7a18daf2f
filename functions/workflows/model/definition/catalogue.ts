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
import type { AnyNodeType } from './node-type.ts';
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
