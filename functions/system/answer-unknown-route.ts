import * as z from 'zod/mini';
import { Failure } from '../../shared/kernel/failure.ts';
import { listed } from '../../shared/kernel/http/listed.ts';
import { operation } from '../../shared/kernel/operation.ts';
import type { SentRequest } from '../../shared/kernel/request.ts';

export default operation({
  route: '$default',
  summary: 'Respond to a request that no route takes',
  description:
    'If the path has other methods, the response is 405, with `Allow` and a message that name them; for any other path, it is 404. Preflight requests of browsers never get here.',
  family: 'plain',
  minimumRole: 'anyone',
  // Without a route everything is "not found", whatever the query.
  query: z.looseObject({}),
  descriptions: {},
  output: z.never(),
  failures: ['NOT_FOUND', 'METHOD_NOT_ALLOWED'],
  uses: { asset: 'routes' },
  async run({ sent }, { asset }) {
    const routes: Record<string, string[]> = JSON.parse(asset.text);
    // If several routes match a path, the gateway serves the methods of all of them.
    const fitting = Object.keys(routes).filter((route) => fits(route, sent.path));
    const path = fitting[0] ?? knownWordsOf(sent.path, Object.keys(routes));
    const methods = [...new Set(fitting.flatMap((route) => routes[route] ?? []))].sort();
    // After a route is removed, this list may still have it for a moment longer than the gateway.
    const isStale = methods.includes(sent.method);
    // A deployment may leave the documentation out.
    const advice = Object.hasOwn(routes, '/api/docs') ? ' GET /api/docs describes every operation.' : '';
    throw methods.length === 0 || isStale
      ? unknownPath(sent, advice, { path })
      : methodNotAllowed(sent, methods, advice, { path });
  },
});

/** Whether a path matches a route, segment by segment; a parameter matches any text. */
function fits(route: string, path: string): boolean {
  const [segments, actual] = [route.split('/'), path.split('/')];
  return (
    segments.length === actual.length &&
    segments.every((segment, at) => (segment.startsWith('{') ? actual[at] !== '' : actual[at] === segment))
  );
}

/** Segments of an unknown path that the log shows. */
const mostSegments = 10;

/** The path with those of its segments that some route has; whatever else a stranger typed there does not belong in the log. */
function knownWordsOf(path: string, routes: readonly string[]): string {
  const words = new Set(routes.flatMap((route) => route.split('/')));
  const segments = path.split('/').map((segment) => (words.has(segment) ? segment : '…'));
  return [...segments.slice(0, mostSegments), ...(segments.length > mostSegments ? ['…'] : [])].join('/');
}

function methodNotAllowed(
  { method }: SentRequest,
  methods: readonly string[],
  advice: string,
  noted: Record<string, string>,
): Failure {
  return new Failure(
    'METHOD_NOT_ALLOWED',
    `This path takes ${listed(methods)}, but not ${method}.${advice}`,
    { allow: methods, noted },
  );
}

/**
 * Names the request, unless its path has characters or a length that no path of this API has: so no response repeats somebody
 * else's text.
 */
function unknownPath({ method, path }: SentRequest, advice: string, noted: Record<string, string>): Failure {
  const asked = /^\/[\w\-./~]{0,200}$/.test(path) ? `${method} ${path}` : 'This path';
  return new Failure('NOT_FOUND', `${asked} does not exist.${advice}`, { noted });
}
