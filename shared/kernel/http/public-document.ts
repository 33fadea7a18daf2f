import * as z from 'zod/mini';
import { anyString } from '../schemas/fields.ts';

/** What operations have in common that show anybody a document of the service. */
export const publicDocument = {
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // Parameters that prevent caching, or are those of campaigns and proxies, are no reason to refuse a client.
  query: z.looseObject({}),
  descriptions: {},
  output: anyString,
  // A client keeps the document and asks only whether it has changed.
  throttle: { rate: 5, burst: 10 },
} as const;
