import { publicDocument } from '../../shared/kernel/http/public-document.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /api/docs',
  summary: 'Read and try the API in a browser',
  description: 'One self-contained page that shows `/api/openapi.json`; it loads nothing from other servers.',
  ...publicDocument,
  contentType: 'text/html',
  uses: { asset: 'documentation' },
  run: async (_request, { asset }) => asset,
});
