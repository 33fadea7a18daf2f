import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { day, hour, minute, after as plus, timestamp } from '../../shared/kernel/time.ts';
import { businessHours } from '../../shared/organizations/business-hours.ts';
import { missedCallPolicy } from '../../shared/organizations/missed-call-policy.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { newCallSid, voiceUrl } from '../calls/reports.ts';
import { conversationsClient } from '../conversations/client.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { domainName } from '../harness/gateway.ts';
import { arrange } from '../harness/tenants.ts';
import { importsBelow, reachedFrom } from '../house/imports.ts';
import { assigned, organizationsClient } from '../organizations/client.ts';
import { inARow, prepareRuns } from '../workflows/advancing.ts';
import { prepareOutgoing } from './outgoing.ts';
import { prepareRecipient } from './recipient.ts';
import { signedForm } from './twilio-signing.ts';
import { newSid } from './webhook-client.ts';

// Every way in which a text can leave, tried by an organization that has just registered itself, and once more after its approval.

const tenants = await setUpTenants();
const { product, admin, rep, superadmin } = tenants;
product.providers.trialPolicy = () => trialPolicies.approved;
const outgoing = await prepareOutgoing(product);
const workflowRuns = await prepareRuns(tenants);
const clock = clockClient(product);
const own = organizationsClient(product, admin);
const above = organizationsClient(product, superadmin, admin.organizationId);
const { table } = product.tableOf(admin.organizationId);
const secret = '0123456789abcdef0123456789abcdef';
await arrange(above('update-text-settings', { standardSender: null }));
const { phoneNumber } = await assigned(own, rep, { isDefault: true });

await arrange(own('update-organization', { helpMessage: 'Bluebird Trading.' }));
await arrange(
  own('update-missed-call-message', {
    missedCallMessage: 'Sorry we missed you.',
    missedCallAutoMessageEnabled: true,
  }),
);
const workflow = await workflowRuns.newWorkflow(inARow([{ type: 'sendMessage', data: { content: 'Hi' } }]));

const smsUrl = `https://${domainName}/api/webhook/twilio/sms`;

/** What a provider reports about this number: a form that is signed as if it were approved. */
const reported = (name: string, address: string, fields: Record<string, string>) =>
  arrange(
    product.call(name, {
      path: { provider: 'twilio' },
      body: new URLSearchParams(fields).toString(),
      ...signedForm(secret, address, fields),
    }),
  );

/** Somebody to whom a text may leave. */
async function newRecipient() {
  const { to, contactId } = await prepareRecipient(product, rep);
  const conversations = conversationsClient(product, rep);
  return {
    to,
    contactId,
    send: (more: object = {}) => conversations.send({ contactId, content: 'Hi', ...more }),
  };
}
type Recipient = Awaited<ReturnType<typeof newRecipient>>;

const scheduledFor = plus(new Date(), hour);

/** Lets something happen while the organization is closed and texts wait for its opening; resolves with the time of that. */
async function whileClosed(act: () => Promise<unknown>): Promise<Date> {
  const date = timestamp(new Date()).slice(0, 10);
  const exceptionalHours = [{ date, closed: true, label: '' }];
  await table.commit([
    table.put(businessHours.key, { ...businessHours.initial, exceptionalHours }),
    table.put(missedCallPolicy.key, {
      ...missedCallPolicy.initial,
      sendWhen: 'business_hours',
      otherwise: 'at_opening',
    }),
  ]);
  await act();
  await table.commit([
    table.put(businessHours.key, businessHours.initial),
    table.put(missedCallPolicy.key, missedCallPolicy.initial),
  ]);
  return plus(new Date(date), day);
}

const call = (name: string, path: Record<string, string>, body?: object) =>
  product.call(name, { token: rep.token, path, body });
const incoming = ({ to: From }: Recipient) => ({
  From,
  To: phoneNumber,
  CallSid: newCallSid(),
  Direction: 'inbound',
});

/** The ways, each of which may be refused, by the operation that lets the text leave. */
const ways: Record<string, (recipient: Recipient) => Promise<unknown>> = {
  'send-message': ({ send }) => send(),
  'send-message, from a number that is named': ({ send }) => send({ from: phoneNumber }),
  'send-scheduled-message': ({ send }) => send({ sendAt: scheduledFor.toISOString() }),
  'retry-message': async ({ send, to }) => {
    product.sms.behave(to, 'refuses');
    const { body } = await send();
    await outgoing.tellAll(rep);
    product.sms.behave(to, 'sends');
    return call('retry-message', { id: body.data?._id ?? '-' });
  },
  'record-missed-call': ({ to: callerNumber }) => call('record-missed-call', {}, { callerNumber }),
  'record-missed-call, to a number that is named': ({ to: callerNumber }) =>
    call('record-missed-call', {}, { callerNumber, to: phoneNumber }),
  'receive-call': (recipient) =>
    reported('receive-call', voiceUrl, { ...incoming(recipient), CallStatus: 'no-answer' }),
  'end-call': async (recipient) => {
    await reported('receive-call', voiceUrl, { ...incoming(recipient), CallStatus: 'ringing' });
    const { data } = await arrange(call('list-calls', {}));
    const rung = data.find(({ from }: { from: string }) => from === recipient.to);
    return call('end-call', { callId: rung?._id ?? '-' }, { status: 'no-answer' });
  },
  'send-missed-call-text': async (recipient) => {
    const opening = await whileClosed(() =>
      reported('receive-call', voiceUrl, { ...incoming(recipient), CallStatus: 'no-answer' }),
    );
    await clock.run(opening);
  },
  'receive-sms': ({ to: From }) =>
    reported('receive-sms', smsUrl, { MessageSid: newSid(), From, To: phoneNumber, Body: 'HELP' }),
  'advance-workflow-run': async ({ contactId }) =>
    workflowRuns.advance(await workflowRuns.start(workflow, contactId)),
};

/** How many texts each way has let leave. */
async function leaving(): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  for (const [way, take] of Object.entries(ways)) {
    const recipient = await newRecipient();
    await take(recipient);
    await clock.run(plus(scheduledFor, minute));
    await outgoing.tellAll(rep, plus(scheduledFor, minute));
    left[way] = product.sentMessages.filter(({ to }) => to === recipient.to).length;
  }
  return left;
}

const each = (count: number) => Object.fromEntries(Object.keys(ways).map((way) => [way, count]));

test('An organization that registered itself cannot make one text leave, in whatever way; once its number is approved, each way works', async () => {
  expect(await leaving()).toEqual(each(0));
  await arrange(above('approve-phone-number', { secret }, { phoneNumber }));
  expect(await leaving()).toEqual(each(1));
});

test('Every operation that can queue a text is tried', () => {
  const { values } = importsBelow(projectRoot, ['functions', 'shared']);
  const queueing = [...values.keys()]
    .filter((file) => /^functions\/[^/]+\/[^/]+$/.test(file))
    .filter((file) => reachedFrom(file, values).has('shared/messages/queue-actions.ts'))
    .map((file) => basename(file, '.ts'));
  const tried = Object.keys(ways).map((way) => way.split(',')[0]);
  // This one receives texts and gives no help: they have waited.
  const without = ['deliver-unassigned-messages'];
  expect(queueing.filter((name) => !tried.includes(name))).toEqual(without);
});
