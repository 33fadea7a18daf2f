import { after, timestamp } from '../../../../shared/kernel/time.ts';
import { httpRequest, stop, trigger } from '../definition/flow-nodes.ts';
import { durationInMilliseconds } from '../definition/node-fields.ts';
import { delay } from '../definition/wait-nodes.ts';
import { type AnyExecutable, executable } from './executable.ts';
import addNote from './nodes/add-note.ts';
import assign from './nodes/assign.ts';
import { addTagsExecutable, removeTagsExecutable } from './nodes/change-tags.ts';
import condition from './nodes/condition.ts';
import createApplication from './nodes/create-application.ts';
import createReminder from './nodes/create-reminder.ts';
import moveApplication from './nodes/move-application.ts';
import moveStage from './nodes/move-stage.ts';
import notifyUser from './nodes/notify-user.ts';
import resolveConversation from './nodes/resolve-conversation.ts';
import sendMessage from './nodes/send-message.ts';
import split from './nodes/split.ts';
import startWorkflow from './nodes/start-workflow.ts';
import stopOthers from './nodes/stop-others.ts';
import switchNode from './nodes/switch.ts';
import updateContact from './nodes/update-contact.ts';
import waitForEvent from './nodes/wait-for-event.ts';
import waitUntil from './nodes/wait-until.ts';

/** How runs take the steps of each type of node of the catalogue. */
export const executables: readonly AnyExecutable[] = [
  executable(trigger, { decide: () => ({ outcome: { status: 'passed' } }) }),
  executable(stop, { decide: () => ({ outcome: { status: 'passed', ends: 'run' } }) }),
  executable(httpRequest, { decide: () => ({ outcome: { status: 'skipped', reason: 'not_available' } }) }),
  executable(delay, {
    decide: (data, { now }) => ({
      outcome: { status: 'waiting', until: timestamp(after(now, durationInMilliseconds(data))) },
    }),
  }),
  addTagsExecutable,
  removeTagsExecutable,
  addNote,
  assign,
  condition,
  createApplication,
  createReminder,
  moveApplication,
  moveStage,
  notifyUser,
  resolveConversation,
  sendMessage,
  split,
  startWorkflow,
  stopOthers,
  switchNode,
  updateContact,
  waitForEvent,
  waitUntil,
];

const byName: ReadonlyMap<string, AnyExecutable> = new Map(executables.map((one) => [one.type, one]));

/** The type with this name, as the engine takes its steps. */
export function executableNamed(type: string): AnyExecutable | undefined {
  return byName.get(type);
}
