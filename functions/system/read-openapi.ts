import * as z from 'zod/mini';
import { anyText } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /api/openapi.json',
  summary: 'Read this description of the API',
  description: 'An OpenAPI 3.1 document, made from the same schemas that check every request.',
  family: 'plain',
  allow: 'anyone',
  output: z.looseObject({
    openapi: z.literal('3.1.0'),
    info: z.looseObject({ title: anyText, version: anyText }),
    paths: z.record(anyText, z.unknown()),
  }),
  uses: { asset: 'openapi' },
  run: async (_request, { asset }) => asset,
});
