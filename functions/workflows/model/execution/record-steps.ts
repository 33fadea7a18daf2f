import type { StoredApplication } from '../../../../shared/contact-aggregate/application.ts';
import type { Channel, Conversation } from '../../../../shared/conversations/conversation.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import { IsoMoment } from '../../../../shared/organizations/written-times.ts';
import { durationInMilliseconds, stageRequest } from '../definition/node-fields.ts';
import {
  addNote,
  createApplication,
  createReminder,
  moveApplication,
  notifyUser,
  resolveConversation,
} from '../definition/record-nodes.ts';
import { isHidden, lacking } from './can-see.ts';
import { type AnyExecutable, executable } from './executable.ts';
import { findGoneStage, findGoneUser, revealIfSeen, skippedFor } from './gone.ts';
import { requireContact, type StepContext } from './step-context.ts';
import { textsFrom } from './texts.ts';

/** How runs take the steps of nodes that write records beside the contact. */
export const recordSteps: readonly AnyExecutable[] = [
  executable(addNote, {
    read({ mentions = [] }, sources) {
      const texts = textsFrom(sources);
      return findGoneUser(
        sources,
        mentions.flatMap((mention) => texts.filledOrNone(mention) ?? []),
      );
    },
    decide({ note, mentions = [] }, { context, now, extra: gone }) {
      if (gone !== undefined) {
        return skippedFor(gone);
      }
      const texts = textsFrom({ context, now });
      return {
        outcome: { status: 'passed' },
        effect: {
          operation: 'create-note',
          body: {
            contactId: requireContact(context).contact._id,
            note: texts.filled(note),
            mentions: mentions.flatMap((mention) => texts.filledOrNone(mention) ?? []),
          },
          resultId: 'noteId',
        },
      };
    },
  }),
  executable(createApplication, {
    read: (data, sources) => findGoneStage(sources, data, 'Application'),
    decide({ name, customFields, ...stageRef }, { context, now, extra: gone }) {
      if (gone !== undefined) {
        return skippedFor(gone);
      }
      const texts = textsFrom({ context, now });
      return {
        outcome: { status: 'passed' },
        effect: {
          operation: 'create-application',
          body: {
            contactId: requireContact(context).contact._id,
            name: texts.filled(name),
            ...stageRequest(stageRef, context.pipelines),
            ...definedOnly({ customFields: texts.filledIn(customFields) }),
          },
          resultId: 'applicationId',
        },
      };
    },
  }),
  executable(createReminder, {
    async read({ remindAt }, sources) {
      const isDate =
        remindAt === undefined || IsoMoment.safeParse(textsFrom(sources).filled(remindAt).trim()).success;
      return revealIfSeen(sources, isDate ? undefined : 'no_date');
    },
    decide({ note, in: wait, remindAt }, { context, now, extra: dateless }) {
      if (dateless !== undefined) {
        return skippedFor(dateless);
      }
      const texts = textsFrom({ context, now });
      return {
        outcome: { status: 'passed' },
        effect: {
          operation: 'create-reminder',
          body: {
            contactId: requireContact(context).contact._id,
            note: texts.filled(note),
            remindAt:
              wait === undefined
                ? texts.filled(remindAt ?? '').trim()
                : timestamp(new Date(now.getTime() + durationInMilliseconds(wait))),
          },
          resultId: 'reminderId',
        },
      };
    },
  }),
  executable(moveApplication, {
    async read(data, sources) {
      const { context } = sources;
      const chosen = chosenApplication(context);
      if (chosen === undefined) {
        return (await isHidden(sources)) ? 'hidden' : undefined;
      }
      return findGoneStage(sources, data, 'Application', chosen.pipelineId);
    },
    decide(data, { context, extra: gone }) {
      const applicationId = chosenApplication(context)?._id;
      if (applicationId === undefined) {
        return lacking('no_application', 'Application', gone === 'hidden');
      }
      if (gone !== undefined && gone !== 'hidden') {
        return skippedFor(gone);
      }
      return {
        outcome: { status: 'passed', resultIds: { applicationId } },
        effect: {
          operation: 'move-application',
          path: { id: applicationId },
          body: stageRequest(data, context.pipelines),
        },
      };
    },
  }),
  executable(notifyUser, {
    async read({ userId }, sources) {
      const to =
        userId === undefined ? sources.context.state?.contact.owner : textsFrom(sources).filledOrNone(userId);
      if (!to) {
        return (await isHidden(sources)) ? 'hidden' : undefined;
      }
      return userId === undefined ? undefined : findGoneUser(sources, [to]);
    },
    decide({ userId, message }, { context, now, extra: gone }) {
      if (gone !== undefined && gone !== 'hidden') {
        return skippedFor(gone);
      }
      const texts = textsFrom({ context, now });
      const { contact } = requireContact(context);
      const to = userId === undefined ? contact.owner : texts.filledOrNone(userId);
      if (!to) {
        return lacking('no_user', 'Contact', gone === 'hidden');
      }
      return {
        outcome: { status: 'passed' },
        effect: {
          operation: 'notify-user',
          body: { contactId: contact._id, userId: to, message: texts.filled(message) },
          resultId: 'notificationId',
        },
      };
    },
  }),
  executable(resolveConversation, {
    read: async ({ channel }, sources) =>
      chosenConversation(sources.context, channel) === undefined && (await isHidden(sources)),
    decide({ channel }, { context, extra: hidden = false }) {
      const conversation = chosenConversation(context, channel);
      if (conversation === undefined) {
        return lacking('no_conversation', 'Conversation', hidden);
      }
      return {
        outcome: { status: 'passed', resultIds: { conversationId: conversation._id } },
        effect: {
          operation: 'update-conversation',
          path: { id: conversation._id },
          body: { isResolved: true },
        },
      };
    },
  }),
];

function chosenApplication(context: StepContext): StoredApplication | undefined {
  // Ids sort by the time that they were made at.
  const known = requireContact(context).applications.toSorted((application, other) =>
    application._id < other._id ? -1 : 1,
  );
  const made = Object.values(context.steps)
    .flatMap(({ applicationId }) => (typeof applicationId === 'string' ? [applicationId] : []))
    .sort();
  const own = made.at(-1) ?? context.event.applicationId;
  return typeof own === 'string' ? known.find(({ _id }) => _id === own) : known.at(-1);
}

function chosenConversation(context: StepContext, channel: Channel | undefined): Conversation | undefined {
  const all = requireContact(context).conversations.filter(
    (conversation) => channel === undefined || conversation.channel === channel,
  );
  const open = all
    .filter(({ isResolved }) => !isResolved)
    .toSorted((a, b) => (latest(a) < latest(b) ? 1 : -1));
  return all.find(({ _id }) => _id === context.event.conversationId) ?? open[0] ?? all[0];
}

const latest = ({ lastMessageAt, createdAt, _id }: Conversation) => `${lastMessageAt ?? createdAt} ${_id}`;
