import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { factorRange } from './model/factors/factor.ts';
import { FactorResponse, toFactorResponse } from './model/factors/factor-response.ts';

export default operation({
  route: 'GET /api/auth/factors',
  summary: 'List your second factors',
  description: 'One at most, confirmed or not.',
  family: 'auth',
  minimumRole: 'SALES_REP',
  setsUpFactor: true,
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(FactorResponse),
  uses: { identity: 'read' },
  async run({ query }, { identity, caller }) {
    const page = await identity.page(factorRange(caller.userId), { ...query, consistent: true });
    return ok({ data: page.records.map(({ data }) => toFactorResponse(data)), nextCursor: page.nextCursor });
  },
});
