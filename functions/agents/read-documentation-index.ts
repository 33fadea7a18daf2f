import { publicDocument } from '../../shared/kernel/http/public-document.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /llms.txt',
  summary: 'Read the index of the documentation for language models',
  ...publicDocument,
  contentType: 'text/plain',
  uses: { asset: 'documentationIndex' },
  run: async (_request, { asset }) => asset,
});
