import { publicDocument } from '../../shared/kernel/http/public-document.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /api/client.js',
  summary: 'Download the client for JavaScript',
  description:
    'One module without dependencies, for browsers, workers and Node.js 20 or later: `createClient({ baseUrl, apiKey })` has a method for each operation, such as `createContact`. It renews sessions, repeats what failed without doing it twice, iterates over pages, uploads files, follows live events over broken connections and verifies webhooks. Its types are `/api/client.d.ts`. The version is in `ETag`.',
  ...publicDocument,
  contentType: 'text/javascript',
  uses: { asset: 'client' },
  run: async (_request, { asset }) => asset,
});
