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
  // The rest of the policy is in the page; this part counts in a header only. The page holds a token, and must not lose clicks.
  headers: { 'content-security-policy': "frame-ancestors 'none'" },
  uses: { asset: 'documentation' },
  run: async (_request, { asset }) => asset,
});
