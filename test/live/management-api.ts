import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The response of the gateway to all requests about a connection; `nothing` leaves them waiting. */
export type Trouble = 403 | 429 | 500 | 'nothing';

/** The management API of a WebSocket API whose connections are all open, but for those in trouble. */
export interface ManagementApi extends AsyncDisposable {
  readonly url: string;
  trouble(connectionId: string, trouble: Trouble): void;
  /** Delivers so many further posts to a connection, but loses the response. */
  loseResponses(connectionId: string, count: number): void;
  /** The ids of the events posted to a connection, also in vain. */
  posted(connectionId: string): string[];
  /** Posts to all connections. */
  readonly posts: number;
  /** Requests to close a connection. */
  closings(connectionId: string): number;
}

const errors: Record<Exclude<Trouble, 'nothing'>, string> = {
  403: 'ForbiddenException',
  429: 'LimitExceededException',
  500: 'InternalServerErrorException',
};

export async function startManagementApi(): Promise<ManagementApi> {
  const requests: { method: string; connectionId: string; body: string }[] = [];
  const troubles = new Map<string, Trouble>();
  const lost = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const connectionId = decodeURIComponent(url.split('/').at(-1)?.split('?')[0] ?? '');
    requests.push({ method, connectionId, body: await text(request) });
    const trouble = troubles.get(connectionId);
    const toLose = lost.get(connectionId) ?? 0;
    if (method === 'POST' && toLose > 0) {
      lost.set(connectionId, toLose - 1);
      request.socket.destroy();
    } else if (trouble === undefined) {
      response.writeHead(method === 'DELETE' ? 204 : 200).end();
    } else if (trouble !== 'nothing') {
      response
        .writeHead(trouble, { 'content-type': 'application/json', 'x-amzn-errortype': errors[trouble] })
        .end('{"message": "No"}');
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const of = (wanted: string) => requests.filter(({ method }) => method === wanted);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/live`,
    trouble: (connectionId, trouble) => void troubles.set(connectionId, trouble),
    loseResponses: (connectionId, count) => void lost.set(connectionId, count),
    posted: (connectionId) =>
      of('POST')
        .filter((one) => one.connectionId === connectionId)
        .map(({ body }) => JSON.parse(body).id),
    get posts() {
      return of('POST').length;
    },
    closings: (connectionId) => of('DELETE').filter((one) => one.connectionId === connectionId).length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
