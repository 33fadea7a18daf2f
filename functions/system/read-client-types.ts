import { publicDocument } from '../../shared/kernel/http/public-document.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /api/client.d.ts',
  summary: 'Download the types of the client',
  description:
    'The TypeScript declarations of `/api/client.js`: save both in one folder. They have every method, schema and live event of this documentation, with its descriptions. The version is in `ETag`.',
  ...publicDocument,
  contentType: 'text/typescript',
  uses: { asset: 'clientTypes' },
  run: async (_request, { asset }) => asset,
});
