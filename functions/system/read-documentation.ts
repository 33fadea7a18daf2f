import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

export default operation({
  route: 'GET /api/docs',
  summary: 'Read and try the API in a browser',
  description: 'One self-contained page that shows `/api/openapi.json`; it loads nothing from other servers.',
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // Parameters of campaigns or proxies are no reason to refuse a person.
  query: z.looseObject({}),
  descriptions: {},
  output: anyString,
  contentType: 'text/html',
  // A client keeps the document and asks only whether it has changed.
  throttle: { rate: 5, burst: 10 },
  uses: { asset: 'documentation' },
  run: async (_request, { asset }) => asset,
});
