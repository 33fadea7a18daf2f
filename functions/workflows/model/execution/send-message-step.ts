import { conversationOn } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { hasOptedOut } from '../../../../shared/contacts/consent.ts';
import { withoutPlaceholderName } from '../../../../shared/contacts/placeholder-contact.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import { notFound } from '../../../../shared/kernel/failure.ts';
import { isVisible } from '../../../../shared/kernel/schemas/fields.ts';
import { recipientNumber } from '../../../../shared/messages/recipient-number.ts';
import { findUsableTemplate } from '../../../../shared/messages/template.ts';
import { openingAt } from '../../../../shared/organizations/opening.ts';
import { isConfirmedText } from '../definition/confirmed.ts';
import { sendMessage } from '../definition/record-nodes.ts';
import { canSee } from './can-see.ts';
import { executable } from './executable.ts';
import { requireContact } from './step-context.ts';
import { textsFrom } from './texts.ts';

interface Extra {
  /** The text of the template; undefined if the owner may use none with this id. */
  readonly template: string | undefined;
  /** Whether that text may be sent by this workflow. */
  readonly isConfirmed: boolean;
  readonly seesContact: boolean;
}

export default executable(sendMessage, {
  async read({ template }, { table, context: { owner, state }, confirmed }): Promise<Extra> {
    if (owner === undefined || state === undefined) {
      return { template: undefined, isConfirmed: false, seesContact: false };
    }
    const [found, seesContact] = await Promise.all([
      template === undefined ? undefined : findUsableTemplate(table, owner, template),
      canSee(table, owner, state.contact),
    ]);
    const isConfirmed =
      found === undefined || (await isConfirmedText(table, owner.userId, found.data, confirmed));
    return { template: found?.data.template, isConfirmed, seesContact };
  },
  decide({ template: templateId, content, from, window }, { context, settings, extra, now }) {
    const state = requireContact(context);
    const { contact } = state;
    // Text and step record may contain data of the contact, which somebody who was given only the conversation must not see.
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
    if ((window ?? settings.window) === 'business_hours' && !openingAt(context.hours, now).open) {
      return { outcome: { status: 'skipped', reason: 'outside_hours' } };
    }
    const addressed = { ...state, contact: withoutPlaceholderName(contact) };
    const texts = textsFrom({ context: { ...context, state: addressed }, now });
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
        body: { contactId: contact._id, content: text, ...definedOnly({ from: texts.filledOrNone(from) }) },
        resultId: 'messageId',
      },
    };
  },
});
