import addNote from './add-note.ts';
import addTags from './add-tags.ts';
import assign from './assign.ts';
import condition from './condition.ts';
import createApplication from './create-application.ts';
import createReminder from './create-reminder.ts';
import delay from './delay.ts';
import httpRequest from './http-request.ts';
import moveApplication from './move-application.ts';
import moveStage from './move-stage.ts';
import type { AnyNodeType } from './node-type.ts';
import notifyUser from './notify-user.ts';
import removeTags from './remove-tags.ts';
import resolveConversation from './resolve-conversation.ts';
import sendMessage from './send-message.ts';
import split from './split.ts';
import startWorkflow from './start-workflow.ts';
import stop from './stop.ts';
import stopOthers from './stop-others.ts';
import switchType from './switch.ts';
import trigger from './trigger.ts';
import updateContact from './update-contact.ts';
import waitForEvent from './wait-for-event.ts';
import waitUntil from './wait-until.ts';

/** All types of nodes, sorted by name. */
export const nodeTypes = [
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
  switchType,
  trigger,
  updateContact,
  waitForEvent,
  waitUntil,
] as const;

const byName: ReadonlyMap<string, AnyNodeType> = new Map(nodeTypes.map((one) => [one.type, one]));

/** The type with this name. Its data must be parsed with its schema before anything is asked of it. */
export function nodeTypeOf(type: string): AnyNodeType | undefined {
  return byName.get(type);
}
