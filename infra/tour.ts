// `npm run tour [-- <url>]`: the first five minutes of a client of a local host with demo data. It prints each request with its response,
// and the live events that it waits for. It can run again on the same data, because each run has its own phone numbers.
import { inspect } from 'node:util';

// biome-ignore lint/suspicious/noExplicitAny: The types of the client are at `/api/client.d.ts`, for programs that have a compiler.
type Json = any;

const url = process.argv[2] ?? 'http://127.0.0.1:3000';
const seconds = Math.floor(Date.now() / 1000);
const phoneNumber = (index: number) => `+1303${2_000_000 + ((10 * seconds) % 7_000_000) + index}`;
const say = (purpose: string) => console.log(`# ${purpose}`);
const show = (value: Json) =>
  console.log(`${inspect(value, { depth: 3, maxArrayLength: 6, colors: process.stdout.isTTY })}\n`);

const module = await fetch(`${url}/api/client.js`).catch(() => {
  console.error(`Nothing answers at ${url}. Run \`npm run dev\` in another terminal first.`);
  process.exit(1);
});
const { createClient }: Json = await import(
  `data:text/javascript,${encodeURIComponent(await module.text())}`
);
const client = createClient({
  baseUrl: url,
  /** Prints what the client sends, and the response. */
  async fetch(address: string, request: RequestInit) {
    console.log(`${request.method} ${address.slice(url.length)}`, request.body ?? '');
    const response = await fetch(address, request);
    show(await response.clone().json());
    return response;
  },
});
say('Log in');
await client.login({ email: 'admin@example.com', password: 'switchboard-demo' });
say('Follow the live events');
const stream = client.events();
await stream.opened;
const events = stream[Symbol.asyncIterator]();

/** Resolves with the data of the next event with this name that contains all of these texts; without one, the tour ends. */
async function waitFor(name: string, ...texts: string[]): Promise<Json> {
  const tooLong = setTimeout(() => {
    console.error(`No event ${name} came within a minute.`);
    process.exit(1);
  }, 60_000);
  for (;;) {
    const { value: frame } = await events.next();
    const text = JSON.stringify(frame);
    if (frame.event === name && texts.every((part) => text.includes(part))) {
      clearTimeout(tooLong);
      say(`Live event: ${name}`);
      show(frame.data);
      return frame.data;
    }
  }
}

const george = { firstName: 'George', lastName: 'Boole', phoneNumbers: [{ value: phoneNumber(1) }] };
say('The board: each stage, its newest contact, its exact total');
await client.listContactsByStage({ size: 1 });
say('Create a contact');
const { data: contact } = await client.createContact(george);
await waitFor('contact_created', contact._id);
say('Move him');
await client.moveContact({ id: contact._id }, { stage: 'Contacted' });
await waitFor('contact_stage_changed', contact._id);
say('Send him a text');
const { data: message } = await client.sendMessage({ contactId: contact._id, content: 'Is it true?' });
const sent = await waitFor('message_updated', message._id);
say('Say as the provider that it arrived');
const report = { MessageSid: sent.message.providerMessageId, MessageStatus: 'delivered' };
await client.receiveStatus({ provider: 'twilio' }, report);
await waitFor('message_updated', message._id);

const provider = 'smsprovider';
const number = '+12025550142';
const inbound = (from: string, MessageSid: string, Body: string) => ({
  From: from,
  To: number,
  MessageSid,
  Body,
});
say('A text from an unknown number creates a contact');
await client.receiveSms(
  { provider },
  inbound(phoneNumber(2), `SM${seconds}1`, 'Do you deliver on Saturdays?'),
);
await waitFor('message_created', 'Do you deliver');
say('A missed call gets a text');
const missed = { CallSid: `CA${seconds}`, From: phoneNumber(3), To: number, CallStatus: 'no-answer' };
const { data: call } = await client.receiveCall({ provider }, { ...missed, Direction: 'inbound' });
await waitFor('message_updated', call.contactId);
say('Read the call');
await client.readCall({ callId: call.callId });
say('Find George: totals are exact');
await client.listContactsByStage({ search: 'boole', status: 'Contacted', size: 1 });

const nodes = [
  { id: 'new', type: 'trigger', data: { event: 'contact.created' } },
  { id: 'hello', type: 'sendMessage', data: { content: 'Hi {{firstName|there}}, when may we call you?' } },
  {
    id: 'answer',
    type: 'waitForEvent',
    data: { event: 'message.received', timeout: { value: 3, unit: 'days' } },
  },
  { id: 'note', type: 'addNote', data: { note: '{{firstName}} has answered' } },
].map((node, row) => ({ ...node, position: { x: 0, y: 120 * row } }));
const edges = [
  { id: '1', source: 'new', target: 'hello' },
  { id: '2', source: 'hello', target: 'answer' },
  { id: '3', source: 'answer', target: 'note', sourceHandle: 'received' },
];
say('Automate it: a workflow');
const graph = { name: `Answer new contacts (${seconds})`, nodes, edges };
const { _id: id } = (await client.createWorkflow(graph)).data;
say('What it would do');
await client.simulateWorkflow({ id }, { topic: 'contact.created', decisions: { answer: 'received' } });
say('Enable it');
await client.toggleWorkflow({ id }, { enabled: true });
say('Create a contact, which starts it');
const mary = { firstName: 'Mary', lastName: 'Somerville', phoneNumbers: [{ value: phoneNumber(4) }] };
await client.createContact(mary);
const { runId } = await waitFor('workflow_run_updated', id, '"waiting"');
say('Reply as Mary: it goes on');
await client.receiveSms({ provider }, inbound(phoneNumber(4), `SM${seconds}2`, 'Now, please'));
await waitFor('workflow_run_updated', runId, '"finished"');
say('Read the run, step by step');
await client.readWorkflowRun({ id: runId });
say('Disable it again');
await client.toggleWorkflow({ id }, { enabled: false });
stream.close();
