import * as z from 'zod/mini';
import { OtherResponse } from '../../shared/kernel/http/other-response.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: 'GET /',
  summary: 'Send a browser to the documentation',
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // Parameters of campaigns or proxies are no reason to refuse a person.
  query: z.looseObject({}),
  descriptions: {},
  output: z.never(),
  others: [{ status: 302, description: 'The documentation is at the address in `Location`.' }],
  throttle: { rate: 5, burst: 10 },
  uses: {},
  run: async () => new OtherResponse({ status: 302, headers: { location: '/api/docs' } }),
});
