import { expect } from 'vitest';
import { after, day, timestamp } from '../../shared/kernel/time.ts';
import { recordedId } from '../../shared/ports/sms-recorder.ts';
import { newCallSid } from '../calls/reports.ts';
import type { Call } from '../harness/call.ts';
import type { Person } from '../harness/product.ts';
import type { TableStream } from '../harness/table-stream.ts';
import { arrange, newPhoneNumber, type Tenants } from '../harness/tenants.ts';
import { jobsClient } from '../jobs/jobs-client.ts';
import { prepareOutgoing } from '../messages/outgoing.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { uploadedFile } from '../notes/uploads-client.ts';
import { newManualWorkflow, type WrittenRun, writeRuns } from '../workflows/runs-client.ts';

/** Data of one contact only: nothing of it may be found once the contact is deleted. All of it contains the digits of its number. */
export interface Canaries {
  readonly number: string;
  readonly digits: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly text: string;
  /** The content of its files. */
  readonly file: string;
  readonly fileName: string;
  readonly email: string;
}

function canariesOf(number: string): Canaries {
  const digits = number.slice(1);
  return {
    number,
    digits,
    firstName: `Canaryfirst${digits}`,
    lastName: `Canarylast${digits}`,
    text: `canary text ${digits}`,
    file: `canary bytes ${digits}`,
    fileName: `canary-name-${digits}.pdf`,
    email: `canary-${digits}@example.com`,
  };
}

/** A contact with everything that can be attached to one. */
export interface FilledContact extends Canaries {
  readonly contactId: string;
  readonly conversationId: string;
}

interface Filling extends FilledContact {
  /** Records that earlier fillings made, by the operation that made them. */
  readonly made: Map<string, string>;
}

/** Fills contacts of `rep`, whose number texts come in by. */
export async function prepareFillings(tenants: Tenants, stream: TableStream) {
  const { product, admin, rep, otherRep, head } = tenants;
  const outgoing = await prepareOutgoing(product);
  const jobs = jobsClient(product);

  /** Waits for everything that the stream causes, including the sending of texts. */
  async function settle() {
    await stream.settle();
    await outgoing.deliver(product.queues.outgoingTexts.take());
    await stream.settle();
  }

  const call = async (name: string, more: Call = {}, by: Person = rep) =>
    arrange(product.call(name, { token: by.token, ...more }));
  const webhook = await newWebhookClient(product, admin, rep);
  // Closed for a long time, so that the text to the caller of a missed call waits.
  const path = { organizationId: admin.organizationId };
  const missedCallMessage = {
    missedCallMessage: 'Hello {{contactName}}',
    missedCallAutoMessageEnabled: true,
  };
  const opening = { date: '2099-01-15', closed: false, start: '09:00', end: '10:00', label: '' };
  const hours = { businessHours: {}, exceptionalHours: [opening] };
  const policy = { sendWhen: 'business_hours', otherwise: 'at_opening', remind: true };
  await call('update-missed-call-message', { path, body: missedCallMessage }, admin);
  await call('update-business-hours', { path, body: hours }, admin);
  await call('update-missed-call-policy', { path, body: policy }, admin);
  const campaign = { name: 'Campaign', source: 'Fair', createApplication: true };
  const { data: configuration } = await call('create-outreach-configuration', { body: campaign }, admin);

  async function attachment({ file, fileName }: Canaries) {
    const { key } = await uploadedFile(product, rep, file, { name: fileName });
    return { key, name: fileName };
  }

  const workflow = await newManualWorkflow(tenants, { settings: { reentry: 'always' } });

  /** A run for the contact, whose steps and end tell of it; its path. */
  async function runOf({ contactId, text }: Filling, more: Partial<WrittenRun>) {
    const at = timestamp(new Date());
    const receipts = [{ n: 1, nodeId: 'note', type: 'addNote', status: 'failed', reason: text, at } as const];
    const run = { workflowId: workflow._id, contactId, userId: rep.userId, receipts, ...more };
    const [written] = await writeRuns(product, admin.organizationId, [run]);
    return { id: written?._id ?? '' };
  }

  /** Every operation that writes something about a contact, with as much data of the contact as it takes, in this order. */
  const fillings: Readonly<Record<string, (filling: Filling) => Promise<unknown>>> = {
    'update-contact': ({ contactId, text }) =>
      call('update-contact', {
        path: { id: contactId },
        body: { customFields: { remark: text }, tags: [text], assignees: [otherRep.userId] },
      }),
    'upsert-contact': ({ number, text }) =>
      call('upsert-contact', {
        body: {
          match: 'phone',
          phoneNumbers: [{ value: number }],
          externalId: text,
          customFields: { upserted: text },
        },
      }),
    // Early, so that everything else is written about a contact that another one was merged into.
    'merge-contact': async ({ contactId, text }) => {
      const phoneNumbers = [{ value: newPhoneNumber() }];
      const body = { firstName: text, phoneNumbers, email: `${text.replaceAll(' ', '')}@example.com` };
      const { data: other } = await call('create-contact', { body });
      await call('create-note', { body: { contactId: other._id, note: text } });
      await arrange(webhook.text({ From: phoneNumbers[0]?.value, Body: text }));
      await call('merge-contact', { path: { id: contactId }, body: { from: other._id } });
    },
    'move-contact': ({ contactId }) =>
      call('move-contact', { path: { id: contactId }, body: { stage: 'Won' } }),
    'receive-lead': ({ number, text, firstName, lastName, email }) =>
      call('receive-lead', {
        body: {
          configurationId: configuration._id,
          phoneNumber: number,
          firstName,
          lastName,
          email,
          wish: text,
        },
      }),
    'receive-sms': async ({ number, text }) => {
      const fields = {
        NumMedia: '1',
        MediaUrl0: `https://media.example.com/${encodeURIComponent(text)}.png`,
      };
      await arrange(webhook.text({ From: number, Body: text, ...fields }));
    },
    'send-message': async (filling) => {
      const sendAt = timestamp(after(new Date(), 300 * day));
      for (const more of [{}, { sendAt }]) {
        const attachments = [await attachment(filling)];
        await call('send-message', {
          body: { contactId: filling.contactId, content: filling.text, attachments, ...more },
        });
      }
    },
    'receive-status': async ({ made }) => {
      await settle();
      const MessageSid = recordedId(made.get('send-message') ?? '');
      const body = { MessageSid, MessageStatus: 'undelivered', ErrorCode: '30005' };
      const { data } = await call('receive-status', { path: { provider: 'twilio' }, body });
      expect(data.status).toBe('undelivered');
    },
    'retry-message': ({ made }) => call('retry-message', { path: { id: made.get('send-message') ?? '' } }),
    'archive-contact': ({ contactId }) => call('archive-contact', { path: { id: contactId } }),
    'restore-contact': ({ contactId }) => call('restore-contact', { path: { id: contactId } }),
    'update-consent': async ({ contactId }) => {
      for (const sms of ['out', 'in']) {
        await call('update-consent', { path: { id: contactId }, body: { sms } });
      }
    },
    'update-conversation': ({ conversationId }) =>
      call('update-conversation', { path: { id: conversationId }, body: { assignees: [otherRep.userId] } }),
    'mark-conversation-read': ({ conversationId }) =>
      call('mark-conversation-read', { path: { id: conversationId }, body: {} }),
    'create-training-snapshot': ({ contactId, conversationId, text }) =>
      call('create-training-snapshot', {
        body: { contactId, conversationId, quality: 'good', category: text, tags: [text.slice(0, 50)] },
      }),
    'create-application': async ({ contactId, text, made }) => {
      const { data } = await call('create-application', {
        body: { contactId, name: text, customFields: { remark: text } },
      });
      made.set('create-application', data._id);
    },
    'update-application': ({ made, text }) =>
      call('update-application', {
        path: { id: made.get('create-application') ?? '' },
        body: { name: text, customFields: { text } },
      }),
    'move-application': ({ made }) =>
      call('move-application', {
        path: { id: made.get('create-application') ?? '' },
        body: { stage: 'In review' },
      }),
    'create-note': async (filling) => {
      const body = {
        contactId: filling.contactId,
        note: filling.text,
        mentions: [otherRep.userId, head.userId],
        attachments: [await attachment(filling)],
      };
      filling.made.set('create-note', (await call('create-note', { body })).data._id);
    },
    'edit-note': ({ text, made }) =>
      call('edit-note', {
        path: { id: made.get('create-note') ?? '' },
        body: { note: `${text}, changed`, mentions: [admin.userId] },
      }),
    'toggle-reaction': ({ made }) =>
      call('toggle-reaction', { path: { id: made.get('create-note') ?? '' }, body: { emoji: '👍' } }),
    'notify-user': ({ contactId, text }) =>
      call('notify-user', { body: { contactId, userId: head.userId, message: text } }),
    'create-reminder': async ({ contactId, text }) => {
      for (const remindAt of ['2026-01-15', '2099-01-15']) {
        await call('create-reminder', { body: { contactId, note: text, remindAt } });
      }
    },
    'answer-inbound-call': async ({ number, made }) => {
      const response = await call('answer-inbound-call', { body: { callerNumber: number } });
      made.set('answer-inbound-call', response.call._id);
    },
    'end-call': ({ made }) =>
      call('end-call', { path: { callId: made.get('answer-inbound-call') ?? '' }, body: {} }),
    'start-outbound-call': async ({ contactId, made }) => {
      const response = await call('start-outbound-call', { body: { contactId } });
      made.set('start-outbound-call', response.call._id);
    },
    'answer-call': ({ made }) =>
      call('answer-call', { path: { callId: made.get('start-outbound-call') ?? '' } }),
    'receive-call': ({ number, text }) =>
      call('receive-call', {
        path: { provider: 'twilio' },
        body: {
          ...{ CallSid: newCallSid(), From: number, To: webhook.phoneNumber, CallStatus: 'no-answer' },
          RecordingUrl: `https://media.example.com/${encodeURIComponent(text)}.wav`,
        },
      }),
    'record-missed-call': ({ number }) => call('record-missed-call', { body: { callerNumber: number } }),
    'cancel-runs-of-contact': async (filling) => {
      await runOf(filling, { status: 'waiting' });
      const { data } = await call('cancel-runs-of-contact', { path: { id: filling.contactId }, body: {} });
      expect(data.runs).toHaveLength(1);
    },
    'cancel-workflow-run': async (filling) =>
      call('cancel-workflow-run', { path: await runOf(filling, { status: 'waiting' }) }),
    'retry-workflow-run': async (filling) =>
      call('retry-workflow-run', { path: await runOf(filling, { status: 'failed', reason: filling.text }) }),
    'continue-workflow-run': async (filling) =>
      call('continue-workflow-run', { path: await runOf(filling, { status: 'waiting' }) }),
    'run-workflow': async (filling) => {
      const { contactId } = filling;
      await call('run-workflow', { path: { id: workflow._id }, body: { contactId } });
      // It continues in a year: what is due later is erased, too.
      const since = timestamp(new Date());
      const until = timestamp(after(new Date(), 300 * day));
      const awaits = { topic: 'message.received', filter: [], match: 'all' } as const;
      await runOf(filling, {
        status: 'waiting',
        tokens: [{ n: 1, nodeId: 'pause', wait: { since, until, awaits } }],
      });
    },
    'change-contacts': async ({ contactId, text }) => {
      const change = { setCustomFields: { remark: text } };
      await jobs.end(rep, await jobs.change(rep, { ids: [contactId], change }));
    },
    'mark-notification-read': async () => {
      const { data } = await call('list-notifications', {}, otherRep);
      await call('mark-notification-read', { path: { id: data[0]._id } }, otherRep);
    },
  };

  return {
    webhook,
    /** The operations that fill a contact. */
    names: Object.keys(fillings),
    async newFilledContact(): Promise<FilledContact> {
      const canaries = canariesOf(newPhoneNumber());
      const { firstName, lastName, number, email, text } = canaries;
      const { data } = await call('create-contact', {
        body: { firstName, lastName, email, phoneNumbers: [{ value: number }], source: text },
      });
      const contactId: string = data._id;
      const { data: sent } = await call('send-message', { body: { contactId, content: text } });
      const { conversationId } = sent;
      const made = new Map([['send-message', sent._id as string]]);
      const filling = { ...canaries, contactId, conversationId, made };
      for (const fill of Object.values(fillings)) {
        await fill(filling);
      }
      await settle();
      return filling;
    },
  };
}
