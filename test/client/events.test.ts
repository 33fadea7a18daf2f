import { expect, test } from 'vitest';
import { WebSocket as SocketOfPackage } from 'ws';
import { eventually } from '../harness/eventually.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import type { Frame } from '../live/frame.ts';
import { setUpBreakingNetwork } from './breaking-network.ts';
import { clientFor, hurriedWait, loadClient } from './loaded-client.ts';

const host = await setUpLiveHost();
const network = await setUpBreakingNetwork(host.url);
const module = await loadClient(host.url);

/** Sockets through the breaking network, and all that they were told to send. */
function throughNetwork() {
  const sent: { action: string; token?: string; since?: string }[] = [];
  class BreakingSocket extends WebSocket {
    constructor(url: string) {
      super(url.replace(/^ws:\/\/[^/]+/, network.url.replace('http', 'ws')));
    }
    override send(text: string) {
      sent.push(JSON.parse(text));
      super.send(text);
    }
  }
  return { sent, WebSocket: BreakingSocket };
}

const isCreation = ({ event }: Frame) => event === 'contact_created';

test('Fifty events over a connection that breaks nine times come all, and each once', async () => {
  const user = await host.newOrganization();
  const { sent, WebSocket } = throughNetwork();
  const client = clientFor(module, host, user, { WebSocket });
  const stream = client.events();
  await stream.opened;
  const got: Frame[] = [];
  const reading = (async () => {
    for await (const frame of stream) {
      got.push(frame);
      if (got.filter(isCreation).length === 50) {
        break;
      }
    }
  })();
  const contacts: string[] = [];
  for (let index = 0; index < 50; index += 1) {
    contacts.push((await client.createContact({ firstName: `Contact ${index}` })).data._id);
    if (index === 0) {
      await eventually(() => got.length > 0);
    } else if (index % 5 === 0) {
      network.breakAll();
    }
  }
  await reading;

  const creations = got.filter(isCreation);
  expect(creations.map(({ data }) => String(data.contactId)).sort()).toEqual(contacts.toSorted());
  expect(new Set(got.map(({ id }) => id)).size).toBe(got.length);
  expect(sent.filter(({ action }) => action === 'resume').length).toBeGreaterThan(0);
});

test('A program that was not running gets what happened since the event that it saw last', async () => {
  // Node.js 20 has none of its own.
  const options = { WebSocket: SocketOfPackage };
  const client = clientFor(module, host, await host.newOrganization(), options);
  const first = client.events();
  await first.opened;
  await client.createContact({ firstName: 'Before' });
  let since = '';
  for await (const frame of first) {
    since = frame.id;
    break;
  }
  const { data: missed } = await client.createContact({ firstName: 'Missed' });

  for await (const frame of client.events({ since })) {
    if (frame.data.contactId === missed._id) {
      break;
    }
  }
});

test('A connection that broke before its first event says that some may be missing', async () => {
  const { WebSocket } = throughNetwork();
  const client = clientFor(module, host, await host.newOrganization(), { WebSocket });
  const stream = client.events();
  await stream.opened;
  network.breakAll();
  for await (const frame of stream) {
    expect(frame.event).toBe('resync_required');
    break;
  }
});

test('An event that is too old to go on from says so, and the next ones come', async () => {
  const client = clientFor(module, host, await host.newOrganization());
  const stream = client.events({ since: '01JD8Z3V5Q6M7N8P9R0S1T2V3W' });
  const got: string[] = [];
  for await (const { event } of stream) {
    got.push(event);
    if (event === 'resync_required') {
      await client.createContact({ firstName: 'Next' });
    } else {
      break;
    }
  }
  expect(got).toEqual(['resync_required', 'contact_created']);
});

test('An open connection is kept open by pings, and gets a new token again and again', async () => {
  const { sent, WebSocket } = throughNetwork();
  const wait = hurriedWait();
  let next = () => {};
  const stream = clientFor(module, host, await host.newOrganization(), {
    WebSocket: class extends WebSocket {
      constructor(url: string) {
        super(url);
        // Each frame in reply is followed by the next pause.
        this.addEventListener('open', () => next());
        this.addEventListener('message', () => next());
      }
    },
    wait: (milliseconds, signal) =>
      Promise.race([wait(milliseconds, signal), new Promise<void>((resolve) => (next = resolve))]),
  }).events();
  await stream.opened;
  await eventually(() => sent.length >= 7);
  expect(sent.slice(0, 7).map(({ action }) => action)).toEqual([
    ...Array(5).fill('ping'),
    'authenticate',
    'ping',
  ]);
  expect(sent[5]?.token).toMatch(/^\S+$/);
  stream.close();
});

test('A connection from which nothing comes any more is replaced', async () => {
  let opened = 0;
  class DeafSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      opened += 1;
    }
    // It takes what it is told, and tells nobody.
    override send() {}
  }
  const stream = clientFor(module, host, await host.newOrganization(), {
    WebSocket: DeafSocket,
    wait: hurriedWait(2),
  }).events();
  await eventually(() => opened >= 2);
  stream.close();
});

test('Who may not connect is told so, and nobody tries on', async () => {
  const client = module.createClient({ baseUrl: host.url, apiKey: 'sbk_nothing' });
  const stream = client.events();
  await expect(stream.opened).rejects.toMatchObject({ status: 401 });
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 401 });
});

test('Where there is no WebSocket, the client says what to do', async () => {
  const { WebSocket } = globalThis;
  Reflect.deleteProperty(globalThis, 'WebSocket');
  try {
    expect(() => module.createClient({ baseUrl: host.url }).events()).toThrow(/the option WebSocket\.$/);
  } finally {
    Object.assign(globalThis, { WebSocket });
  }
});
