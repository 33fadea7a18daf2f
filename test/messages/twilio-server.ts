import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request to Twilio as it arrived. */
export interface ReceivedRequest {
  method: string | undefined;
  path: string | undefined;
  authorization: string | undefined;
  form: [string, string][];
}

/** A server that behaves like Twilio's REST API, in what sending a message needs of it. */
export interface TwilioServer {
  readonly url: string;
  /** Oldest first. */
  readonly received: ReceivedRequest[];
  /** Handles every request from now on. */
  answer: RequestListener;
  stop(): Promise<void>;
}

export const sid = `SM${'0123456789abcdef'.repeat(2)}`;

/** An answer of Twilio: a message that was created, or an error with its code and its own words. */
const created: RequestListener = (_, response) => {
  response
    .writeHead(201, { 'content-type': 'application/json' })
    .end(JSON.stringify({ sid, status: 'queued' }));
};

export function error(status: number, code: number): RequestListener {
  return (_, response) => {
    const body = { code, message: 'Words of Twilio about +15550100', more_info: 'https://…', status };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

export async function startTwilio(): Promise<TwilioServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method, url: path, headers } = request;
    const form = [...new URLSearchParams(body)].sort(([one], [other]) => (one < other ? -1 : 1));
    received.push({ method, path, authorization: headers.authorization, form });
    twilio.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const twilio: TwilioServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: created,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return twilio;
}
