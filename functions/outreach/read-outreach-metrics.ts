import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, nameLimit, trimmedString } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { readScope } from '../../shared/organizations/visibility.ts';
import { QueryMoment } from '../../shared/organizations/written-times.ts';
import { readOrganizationZone } from '../../shared/organizations/zone-for.ts';
import { configurationRange } from './model/configuration.ts';
import { toMetrics } from './model/metrics.ts';
import { cacheActions, freshMetrics, readMetricsCache } from './model/metrics-cache.ts';
import { counterRanges, daySpan, daysInSpan, rangeDays } from './model/metrics-range.ts';
import { MetricsResponse } from './model/metrics-response.ts';

export default operation({
  route: 'GET /api/outreach-metrics',
  tag: 'Outreach Metrics',
  summary: 'Read outreach metrics',
  tool: { name: 'read_outreach_metrics', when: 'To see how many leads came in, and what became of them.' },
  description: `By default, the metrics of the last ${rangeDays.usual} days; at most, those of ${rangeDays.most} days. Days, and dates and times without an offset, are those of the time zone of the organization; a lead counts for the day that it was there when it came. A lead counts for the user who owned its contact at that time: an ADMIN sees all leads, a DEPARTMENT_HEAD those of the members of their departments, a SALES_REP their own; only an ADMIN sees those without an owner. Metrics are cached for 5 minutes for each user and query; \`computedAt\` says when they were computed, and \`POST /api/outreach-metrics/clear-cache\` clears them.`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({
    startDate: z.optional(QueryMoment),
    endDate: z.optional(QueryMoment),
    configurationId: z.optional(Id),
    source: z.optional(trimmedString(nameLimit)),
  }),
  descriptions: {
    startDate: 'The first day: a date, or a date-time of that day.',
    endDate: 'The last day, inclusive: a date, or a date-time of that day; today by default.',
    configurationId: 'Only leads of this configuration.',
    source:
      'Only leads of configurations that had this source, in any case, at that time; empty for those without one.',
  },
  output: dataResponse(MetricsResponse),
  example: { query: { configurationId: demo.outreachConfiguration } },
  uses: { table: 'read', organizations: 'write' },
  async run({ query }, { table, organizations, caller, now }) {
    const { configurationId, source } = query;
    // The same for all spellings of a range; whether what is cached has the days of the organization's time zone is looked at later.
    const { first, last } = daySpan(query, 'UTC', now);
    const variant = [caller.organizationId, first, last, configurationId ?? null, source ?? null];
    const home = organizations(caller.homeOrganizationId);
    const isAtHome = caller.organizationId === caller.homeOrganizationId;
    const [cache, scope, zoneElsewhere] = await Promise.all([
      readMetricsCache(home, caller.userId, variant),
      readScope(caller, table),
      isAtHome ? undefined : readOrganizationZone(table),
    ]);
    const days = daysInSpan(daySpan(query, zoneElsewhere ?? cache.zone, now));
    const cached = freshMetrics(cache, { scope, days, now });
    if (cached !== undefined) {
      return ok({ data: { ...cached, cached: true } });
    }
    const [configurations, ...months] = await Promise.all([
      table.list(configurationRange()),
      ...counterRanges(days).map((range) => table.list(range)),
    ]);
    const names = new Map(configurations.map(({ data: { _id, name } }) => [_id, name]));
    const metrics = toMetrics(months.flat(), days, names, scope, { configurationId, source });
    const { generation } = cache;
    const caching = cacheActions(home, caller.userId, variant, { metrics, generation, scope, now });
    if (caching.length > 0) {
      await home.commit(caching);
    }
    return ok({ data: { ...metrics, computedAt: timestamp(now), cached: false } });
  },
});
