import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import type { SentRequest } from '../../shared/kernel/request.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

export default operation({
  route: 'GET /api/openapi.json',
  summary: 'Read this description of the API',
  description:
    'An OpenAPI 3.1 document, made from the same schemas that check every request. `servers` names the address that the request was sent to.',
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // A parameter that prevents caching is no reason to refuse a client.
  query: z.looseObject({}),
  descriptions: {},
  output: described(
    z.looseObject({
      openapi: z.literal('3.1.0'),
      info: described(z.looseObject({ title: anyString, version: anyString }), {
        title: 'The name of the API.',
        version: 'The version of the API.',
      }),
      paths: z.record(anyString, z.unknown()),
    }),
    {
      openapi: 'The version of OpenAPI.',
      info: 'What the document describes.',
      paths: 'The operations by path and method.',
    },
  ),
  // It names the request's host: a shared cache must not return one client's host to another.
  headers: { 'cache-control': 'private, no-cache' },
  // A client keeps the document and asks only whether it has changed.
  throttle: { rate: 5, burst: 10 },
  uses: { asset: 'openapi' },
  async run({ sent }, { asset }) {
    const url = addressOf(sent);
    return asset.variant(url, (text) => {
      const document = JSON.parse(text);
      const [server] = document.servers;
      return JSON.stringify({ ...document, servers: [{ ...server, url }] });
    });
  },
});

/** Only scheme, host and port; relative if a header makes no sense. */
function addressOf({ url }: SentRequest): string {
  return /^https?:\/\/[^/]/.test(url) && URL.canParse(url) ? new URL(url).origin : '/';
}
