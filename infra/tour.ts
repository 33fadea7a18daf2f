// `npm run tour [-- <url>]`: the first five minutes of a client of a local host with demo data. It prints each request with its response,
// and the live events that it waits for. It can run again on the same data, because each run has its own phone numbers.
import { inspect } from 'node:util';

// biome-ignore lint/suspicious/noExplicitAny: This reads JSON like a client that has no generated types.
type Json = Record<string, any>;

const url = process.argv[2] ?? 'http://127.0.0.1:3000';
const seconds = Math.floor(Date.now() / 1000);
const phoneNumber = (index: number) => `+1303${2_000_000 + ((10 * seconds) % 7_000_000) + index}`;
const headers: Record<string, string> = {};

const show = (value: Json) =>
  console.log(`${inspect(value, { depth: 3, maxArrayLength: 6, colors: process.stdout.isTTY })}\n`);

async function send(purpose: string, route: string, body?: Json): Promise<Json> {
  const [method = '', path] = route.split(' ');
  console.log(`# ${purpose}\n${route}`, body === undefined ? '' : JSON.stringify(body));
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${url}${path}`, request);
  const answer = (await response.json()) as Json;
  show(answer);
  if (!response.ok) {
    throw new Error(`${route} was refused with ${response.status}.`);
  }
  return answer;
}

await fetch(url).catch(() => {
  console.error(`Nothing answers at ${url}. Run \`npm run dev\` in another terminal first.`);
  process.exit(1);
});
const user = { email: 'admin@example.com', password: 'switchboard-demo' };
const { token, socketToken } = await send('Log in', 'POST /api/auth/login', user);
headers.authorization = `Bearer ${token}`;

const socket = new WebSocket(`${url.replace('http', 'ws')}/socket?token=${socketToken}`);
const events: string[] = [];
let look = () => {};
socket.onmessage = ({ data }) => {
  events.push(data);
  look();
};
await new Promise((opened) => {
  socket.onopen = opened;
});

/** Resolves with the data of the next event with this name that contains all of these texts; without one, the tour ends. */
async function waitFor(name: string, ...texts: string[]): Promise<Json> {
  const tooLong = setTimeout(() => {
    console.error(`No event ${name} came within a minute.`);
    process.exit(1);
  }, 60_000);
  let found: string | undefined;
  while (found === undefined) {
    const index = events.findIndex((event) =>
      [`"event":"${name}"`, ...texts].every((text) => event.includes(text)),
    );
    found = events.splice(0, index + 1).at(-1);
    await (found ?? new Promise<void>((arrived) => (look = arrived)));
  }
  clearTimeout(tooLong);
  console.log(`# Live event: ${name}`);
  const { data } = JSON.parse(found);
  show(data);
  return data;
}

const george = { firstName: 'George', lastName: 'Boole', phoneNumbers: [{ value: phoneNumber(1) }] };
await send('The board: each stage, its newest contact, its exact total', 'POST /api/contacts', { size: 1 });
const { data: contact } = await send('Create a contact', 'POST /api/contacts/create', george);
await waitFor('contact_created', contact._id);
await send('Move him', `PUT /api/contacts/${contact._id}/stage`, { stage: 'Contacted' });
await waitFor('contact_stage_changed', contact._id);
const text = { contactId: contact._id, content: 'Is it true?' };
const { data: message } = await send('Send him a text', 'POST /api/messages', text);
const sent = await waitFor('message_updated', message._id);
const report = { MessageSid: sent.message.providerMessageId, MessageStatus: 'delivered' };
await send('Say as the provider that it arrived', 'POST /api/webhook/twilio/status', report);
await waitFor('message_updated', message._id);

const number = '+12025550142';
const inbound = (from: string, MessageSid: string, Body: string) => ({
  From: from,
  To: number,
  MessageSid,
  Body,
});
await send(
  'A text from an unknown number creates a contact',
  'POST /api/webhook/smsprovider/sms',
  inbound(phoneNumber(2), `SM${seconds}1`, 'Do you deliver on Saturdays?'),
);
await waitFor('message_created', 'Do you deliver');
const missed = { CallSid: `CA${seconds}`, From: phoneNumber(3), To: number, CallStatus: 'no-answer' };
const voice = { ...missed, Direction: 'inbound' };
const { data: call } = await send('A missed call gets a text', 'POST /api/webhook/smsprovider/voice', voice);
await waitFor('message_updated', call.contactId);
await send('Read the call', `GET /api/calls/${call.callId}`);
const filter = { search: 'boole', status: 'Contacted', size: 1 };
await send('Find George: totals are exact', 'POST /api/contacts', filter);

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
const graph = { name: `Answer new contacts (${seconds})`, nodes, edges };
const { data: workflow } = await send('Automate it: a workflow', 'POST /api/workflows', graph);
const path = `/api/workflows/${workflow._id}`;
const assumed = { topic: 'contact.created', decisions: { answer: 'received' } };
await send('What it would do', `POST ${path}/simulate`, assumed);
await send('Enable it', `PATCH ${path}/toggle`, { enabled: true });
const mary = { firstName: 'Mary', lastName: 'Somerville', phoneNumbers: [{ value: phoneNumber(4) }] };
await send('Create a contact, which starts it', 'POST /api/contacts/create', mary);
const { runId } = await waitFor('workflow_run_updated', workflow._id, '"waiting"');
const reply = inbound(phoneNumber(4), `SM${seconds}2`, 'Now, please');
await send('Reply as Mary: it goes on', 'POST /api/webhook/smsprovider/sms', reply);
await waitFor('workflow_run_updated', runId, '"finished"');
await send('Read the run, step by step', `GET /api/workflow-runs/${runId}`);
await send('Disable it again', `PATCH ${path}/toggle`, { enabled: false });
socket.close();
