import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /api/health',
  summary: 'Check that the service answers',
  family: 'plain',
  allow: 'anyone',
  output: z.strictObject({ status: z.literal('ok') }),
  uses: {},
  run: async () => ({ status: 'ok' as const }),
});
