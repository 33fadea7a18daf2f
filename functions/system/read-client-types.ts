import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

export default operation({
  route: 'GET /api/client.d.ts',
  summary: 'Download the types of the client',
  description:
    'The TypeScript declarations of `/api/client.js`: save both in one folder. They have every method, schema and live event of this documentation, with its descriptions. The version is in `ETag`.',
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // A parameter that prevents caching is no reason to refuse a client.
  query: z.looseObject({}),
  descriptions: {},
  output: anyString,
  contentType: 'text/typescript',
  // A client keeps the declarations and asks only whether they have changed.
  throttle: { rate: 5, burst: 10 },
  uses: { asset: 'clientTypes' },
  run: async (_request, { asset }) => asset,
});
