import { anyText } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /api/docs',
  summary: 'Read and try the API in a browser',
  description: 'One self-contained page over `/api/openapi.json`; it needs no other server.',
  family: 'plain',
  allow: 'anyone',
  output: anyText,
  contentType: 'text/html',
  uses: { asset: 'documentation' },
  run: async (_request, { asset }) => asset,
});
