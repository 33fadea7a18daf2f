import * as z from 'zod/mini';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';

export default operation({
  route: '$default',
  summary: 'Answer a request that no route takes',
  family: 'plain',
  allow: 'anyone',
  // What has no route is not found, whatever it asks for.
  query: z.looseObject({}),
  meanings: {},
  output: z.never(),
  failures: ['NOT_FOUND'],
  uses: {},
  async run() {
    throw new Failure('NOT_FOUND', 'No operation has this method and path. GET /api/docs lists all of them.');
  },
});
