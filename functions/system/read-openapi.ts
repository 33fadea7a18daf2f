import * as z from 'zod';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /api/openapi.json',
  summary: 'Read this description of the API',
  description: 'An OpenAPI 3.1 document, made from the same schemas that check every request.',
  family: 'plain',
  allow: 'anyone',
  output: z.looseObject({
    openapi: z.literal('3.1.0'),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.record(z.string(), z.unknown()),
  }),
  uses: { asset: 'openapi' },
  run: async (_request, { asset }) => JSON.parse(asset),
});
