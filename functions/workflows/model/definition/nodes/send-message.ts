import * as z from 'zod/mini';
import { conversationOn } from '../../../../../shared/contact-aggregate/contact-aggregate.ts';
import { hasOptedOut } from '../../../../../shared/contacts/consent.ts';
import { withoutPlaceholderName } from '../../../../../shared/contacts/placeholder-contact.ts';
import { notFound } from '../../../../../shared/kernel/failure.ts';
import { given } from '../../../../../shared/kernel/given.ts';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import {
  Id,
  isNotEmpty,
  isVisible,
  nameLimit,
  nonEmptyString,
} from '../../../../../shared/kernel/schemas/fields.ts';
import { hasPlaceholder } from '../../../../../shared/messages/fill-placeholders.ts';
import { recipientNumber } from '../../../../../shared/messages/recipient-number.ts';
import { smsLimit } from '../../../../../shared/messages/sms-limits.ts';
import { NoteText } from '../../../../../shared/notes/note-fields.ts';
import { openingAt } from '../../../../../shared/organizations/opening.ts';
import { usableTemplate } from '../../../../../shared/templates/template.ts';
import { canSee } from '../can-see.ts';
import { isConfirmedText } from '../confirmed-text.ts';
import { knownState } from '../known-contact.ts';
import { noneIfEmptyIn } from '../none-if-empty.ts';
import { windows } from '../plan.ts';
import { textsFrom } from '../texts.ts';
import { nodeType } from './node-type.ts';

/** Much longer than a text may be: a placeholder without a value leaves nothing in the filled text. */
const Content = NoteText.check(isNotEmpty, z.meta({ minLength: 1 }));

const Data = described(
  z
    .object({
      template: z.optional(Id),
      content: z.optional(Content),
      from: z.optional(noneIfEmptyIn(nonEmptyString(nameLimit))),
      window: z.optional(z.enum(windows)),
    })
    .check(
      z.refine(({ template, content }) => (template === undefined) !== (content === undefined), {
        path: ['template'],
        error: 'or content is required, and not both',
      }),
    ),
  {
    template: 'The id of a template that the owner of the workflow may use.',
    content: `The text, if there is no \`template\`; with placeholders, and at most ${smsLimit} characters once they are filled.`,
    from: "The number to send it from: one of the owner's own active numbers, the default one unless stated. May be a placeholder, like `{{event.to}}`.",
    window:
      '`business_hours`: only while the organization is open; skipped otherwise. `any`: at any time. What the settings of the workflow say, unless stated.',
  },
  { oneOf: [{ required: ['template'] }, { required: ['content'] }] },
);

interface Extra {
  /** The text of the template; undefined if the owner may use none with this id. */
  readonly template: string | undefined;
  /** Whether that text may be sent by this workflow. */
  readonly isConfirmed: boolean;
  readonly seesContact: boolean;
}

export default nodeType<z.output<typeof Data>, Extra>({
  type: 'sendMessage',
  title: 'Send a text message',
  description:
    "Sends a text to the contact as `POST /api/messages` does, from the owner of the workflow. Skipped with `opted_out` if the contact has opted out of texts, `no_number` if it has no number, `template_gone` if the owner may use no such template, `template_changed` if somebody without the rights of the owner has changed its text since the workflow was saved or enabled, `outside_hours` if it may be sent in business hours only, `rate_of_contact` if workflows have sent the number 5 texts within an hour or 20 within a day. The step has the message's `messageId`.",
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: ({ template, from }) => [
    ...(template === undefined ? [] : [{ kind: 'template', id: template, path: 'template' } as const]),
    ...(from === undefined || hasPlaceholder(from)
      ? []
      : [{ kind: 'number', id: from, path: 'from' } as const]),
  ],
  sendsByDefault: ({ from }) => from === undefined,
  async read({ template }, { table, facts: { owner, state }, confirmed }) {
    if (owner === undefined || state === undefined) {
      return { template: undefined, isConfirmed: false, seesContact: false };
    }
    const [found, seesContact] = await Promise.all([
      template === undefined ? undefined : usableTemplate(table, owner, template),
      canSee(table, owner, state.contact),
    ]);
    const isConfirmed =
      found === undefined || (await isConfirmedText(table, owner.userId, found.data, confirmed));
    return { template: found?.data.template, isConfirmed, seesContact };
  },
  decide({ template: templateId, content, from, window }, { facts, settings, extra, now }) {
    const state = knownState(facts);
    const { contact } = state;
    // Text and receipt may contain data of the contact, which somebody who was given only the conversation must not see.
    if (!extra.seesContact) {
      return { outcome: { status: 'failed', reason: notFound('Contact').message } };
    }
    const to = recipientNumber(contact, conversationOn(state, 'sms'));
    if (hasOptedOut(contact, to)) {
      return { outcome: { status: 'skipped', reason: 'opted_out' } };
    }
    if (to === undefined) {
      return { outcome: { status: 'skipped', reason: 'no_number' } };
    }
    if (templateId !== undefined && extra.template === undefined) {
      return { outcome: { status: 'skipped', reason: 'template_gone' } };
    }
    if (templateId !== undefined && !extra.isConfirmed) {
      return { outcome: { status: 'skipped', reason: 'template_changed' } };
    }
    if ((window ?? settings.window) === 'business_hours' && !openingAt(facts.hours, now).open) {
      return { outcome: { status: 'skipped', reason: 'outside_hours' } };
    }
    const addressed = { ...state, contact: withoutPlaceholderName(contact) };
    const texts = textsFrom({ facts: { ...facts, state: addressed }, now });
    const text = texts.filled(extra.template ?? content ?? '');
    if (!isVisible(text)) {
      return {
        outcome: { status: 'failed', reason: 'The text is empty once its placeholders are filled' },
      };
    }
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'send-message',
        body: { contactId: contact._id, content: text, ...given({ from: texts.filledOrNone(from) }) },
        resultId: 'messageId',
      },
    };
  },
});
