import createApplication from '../../../functions/applications/create-application.ts';
import updateContact from '../../../functions/contacts/update-contact.ts';
import sendMessage from '../../../functions/messages/send-message.ts';
import createNote from '../../../functions/notes/create-note.ts';
import createReminder from '../../../functions/reminders/create-reminder.ts';
import cancelRunsOfContact from '../../../functions/workflows/cancel-runs-of-contact.ts';
import type { StepOperations } from '../../../shared/events/step-operations.ts';
import type { Operation } from '../../../shared/kernel/operation.ts';
import type { Past } from './past.ts';

/** The operations that the demo workflows perform, by name. */
const operations: Readonly<Record<string, Operation>> = {
  'cancel-runs-of-contact': cancelRunsOfContact,
  'create-application': createApplication,
  'create-note': createNote,
  'create-reminder': createReminder,
  'send-message': sendMessage,
  'update-contact': updateContact,
};

/** The operations that steps of runs perform, in the past. */
export function pastSteps(past: Past): StepOperations {
  return {
    async run(name, { path = {}, body }, { caller, table, now, newId }) {
      const operation = operations[name];
      if (operation === undefined) {
        throw new Error(`No demo workflow performs ${name}`);
      }
      const request = { at: now, by: caller.userId, path, body: (body ?? {}) as object, table, newId };
      return past.run(operation, request);
    },
  };
}
