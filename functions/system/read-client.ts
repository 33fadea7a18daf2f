import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

export default operation({
  route: 'GET /api/client.js',
  summary: 'Download the client for JavaScript',
  description:
    'One module without dependencies, for browsers, workers and Node.js 20 or later: `createClient({ baseUrl, apiKey })` has a method for each operation, such as `createContact`. It renews sessions, repeats what failed without doing it twice, iterates over pages, uploads files, follows live events over broken connections and verifies webhooks. Its types are `/api/client.d.ts`. The version is in `ETag`.',
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // A parameter that prevents caching is no reason to refuse a client.
  query: z.looseObject({}),
  descriptions: {},
  output: anyString,
  contentType: 'text/javascript',
  // A client keeps the module and asks only whether it has changed.
  throttle: { rate: 5, burst: 10 },
  uses: { asset: 'client' },
  run: async (_request, { asset }) => asset,
});
