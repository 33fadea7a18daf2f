import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

export default operation({
  route: 'GET /llms.txt',
  summary: 'Read the index of the documentation for language models',
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // Parameters that prevent caching are no reason to refuse a client.
  query: z.looseObject({}),
  descriptions: {},
  output: anyString,
  contentType: 'text/plain',
  // A client keeps the document and asks only whether it has changed.
  throttle: { rate: 5, burst: 10 },
  uses: { asset: 'documentationIndex' },
  run: async (_request, { asset }) => asset,
});
