import { second } from '../kernel/time.ts';

/** Shorter than the invocation that waits for the response, which still has to say that there was none. */
const patience = 8 * second;

/** Sends requests to the service. A redirect, which may lead elsewhere, is an answer. */
export function provideOwnRequests(): () => (request: Request) => Promise<Response> {
  return () => (request) => fetch(request, { redirect: 'manual', signal: AbortSignal.timeout(patience) });
}
