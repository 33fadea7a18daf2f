import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';

export default operation({
  route: 'GET /api/health',
  summary: 'Check that the service is up',
  family: 'plain',
  minimumRole: 'anyone',
  output: described(z.strictObject({ status: z.literal('ok') }), { status: 'Always `ok`.' }),
  uses: {},
  run: async () => ({ status: 'ok' as const }),
});
