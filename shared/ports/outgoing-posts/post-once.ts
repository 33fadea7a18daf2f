import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import type { OutgoingPost, PostFailure } from '../../kernel/providers/outgoing-posts.ts';
import type { CheckedHost } from './checked-host.ts';

type Reply = Pick<IncomingMessage, 'headers'> & { readonly status: number; readonly response: string };

/** Headers that say how the bytes travel, or to whom: the connection decides these, not whoever chose the URL. */
const ofConnection =
  /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Posts once to one of the checked addresses, over a new connection that ends with it, so that no tenant shares one with another. The
 * name in the certificate and the header `Host` stay those of the URL.
 */
export function postOnce(
  { url, addresses }: CheckedHost,
  { headers, body, keptBytes }: OutgoingPost,
  signal: AbortSignal,
): Promise<Reply | PostFailure['error']> {
  const { promise, resolve } = Promise.withResolvers<Reply | PostFailure['error']>();
  const isPlain = url.protocol === 'http:';
  const bytes = Buffer.from(body);
  const chosen = Object.entries(headers).filter(([name]) => !ofConnection.test(name));
  const request = (isPlain ? http : https).request(url, {
    method: 'POST',
    headers: { 'user-agent': 'Switchboard', ...Object.fromEntries(chosen), 'content-length': bytes.length },
    agent: false,
    lookup: lookupIn(addresses),
    signal,
  });
  let isShakingHands = false;
  request.on('socket', (socket) => {
    socket.once('connect', () => {
      isShakingHands = !isPlain;
    });
    socket.once('secureConnect', () => {
      isShakingHands = false;
    });
  });
  const failBy = (error: NodeJS.ErrnoException) => {
    const isTls = /^(ERR_SSL|ERR_TLS|EPROTO)/.test(error.code ?? '');
    const isBroken = isTls || (isShakingHands && !/^E(CONNRESET|PIPE)$/.test(error.code ?? ''));
    resolve(signal.aborted ? 'timeout' : isBroken ? 'tls' : 'connection');
  };
  request.on('error', failBy);
  // Also after an answer that is none, such as a change of protocol.
  request.on('close', () => resolve('connection'));
  request.on('response', (response) => {
    // The end of a request, and its error, come before those of its response.
    request
      .removeAllListeners('close')
      .off('error', failBy)
      .on('error', () => undefined);
    keepBeginning(response, request, keptBytes, signal).then(
      (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, response: text }),
      failBy,
    );
  });
  request.end(bytes);
  return promise;
}

/** Answers with the checked addresses alone, instead of asking for the name again. */
function lookupIn(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all: wantsAll }, callback) => {
    const [first] = all;
    wantsAll ? callback(null, all) : callback(null, first?.address ?? '', first?.family);
  };
}

/**
 * The first bytes of the body as text, after which the connection ends, however much is still to come. When time is up, what has come: the
 * status was in time, and says what the receiver made of the post.
 */
async function keepBeginning(
  response: IncomingMessage,
  request: ClientRequest,
  keptBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= keptBytes) {
        break;
      }
    }
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
  request.destroy();
  const kept = Buffer.concat(chunks).subarray(0, keptBytes);
  return new TextDecoder().decode(kept, { stream: true });
}
