import type { Consent } from '../../shared/contacts/consent.ts';
import { missedCallMessage } from '../../shared/organizations/missed-call-message.ts';
import { callsClient } from '../calls/client.ts';
import { newVoiceClient } from '../calls/reports.ts';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import type { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { inARow, prepareRuns } from '../workflows/advancing.ts';
import { webhookClient } from './webhook-client.ts';

/** An organization whose `rep` texts contacts in every way, and whose contacts write back. */
export async function prepareNumbers(tenants: Awaited<ReturnType<typeof setUpTenants>>) {
  const { product, admin, rep } = tenants;
  const { table } = product.tableOf(rep.organizationId);
  const voice = await newVoiceClient(product, admin, rep);
  const webhook = webhookClient(product, voice.phoneNumber);
  const contacts = contactsClient(product, rep);
  const conversations = conversationsClient(product, rep);
  const runs = await prepareRuns(tenants);
  const workflow = await runs.newWorkflow(inARow([{ type: 'sendMessage', data: { content: 'Hi' } }]));
  const leads = leadsClient(product, admin);
  const configuration = await leads.configure({ ownerId: rep.userId });
  await table.commit([
    table.put(missedCallMessage.key, {
      missedCallMessage: 'Sorry we missed you.',
      missedCallAutoMessageEnabled: true,
    }),
  ]);

  const text = (From: string, Body: string, at?: Date) => arrange(webhook.text({ From, Body }, { at }));

  return {
    table,
    contacts,
    conversations,
    calls: callsClient(product, rep),
    phoneNumber: voice.phoneNumber,
    text,
    create: (fields: Record<string, unknown>) => contacts.created({ lastName: 'Somebody', ...fields }),
    having: async (...values: string[]) =>
      (await contacts.created({ lastName: 'Somebody', phoneNumbers: values.map((value) => ({ value })) }))
        ._id,
    setNumbers: (id: string, ...values: string[]) =>
      arrange(contacts.update(id, { phoneNumbers: values.map((value) => ({ value })) })),
    remove: (id: string) => arrange(contacts.remove(id)),
    state: (id: string, sms: 'in' | 'out') =>
      arrange(product.call('update-consent', { token: rep.token, path: { id }, body: { sms } })),
    lead: (phoneNumber: string) => leads.sent(configuration._id, { phoneNumber }),
    consent: async (id: string): Promise<Consent> => expectStatus(await contacts.read(id), 200).data.consent,
    send: (contactId: string) => conversations.send({ contactId, content: 'Hello' }),

    /** The results of the texts that the organization tries to send to the contact that has this number. */
    async texts(contactId: string, number: string) {
      const direct = await conversations.send({ contactId, content: 'Hello' });
      const sendAt = new Date(Date.now() + 60_000).toISOString();
      const scheduled = await conversations.send({ contactId, content: 'Later', sendAt });
      const run = await runs.start(workflow, contactId);
      await runs.advance(run);
      const receipt = (await runs.stepRecords(run)).at(-1);
      const { data } = await arrange(voice.report({ From: number, CallStatus: 'no-answer' }));
      const { data: call } = await arrange(
        product.call('read-call', { token: rep.token, path: { callId: data.callId } }),
      );
      return {
        direct: direct.status,
        scheduled: scheduled.status,
        workflow: receipt?.reason ?? receipt?.status,
        missedCall: call.missedCall.reason,
      };
    },
  };
}

/** No text leaves. */
export const refused = {
  direct: 409,
  scheduled: 409,
  workflow: 'opted_out',
  missedCall: 'opted_out',
};

/** A number of somebody who has said STOP to a contact that has it. */
export async function stopped(numbers: Awaited<ReturnType<typeof prepareNumbers>>) {
  const number = newPhoneNumber();
  const id = await numbers.having(number);
  await numbers.text(number, 'STOP');
  return { number, id };
}
