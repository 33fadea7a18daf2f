import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { leadsClient } from './leads-client.ts';

export interface BoardCounters {
  leads: number;
  newContacts: number;
  duplicates: number;
  applications: number;
}

export interface Metrics {
  totals: BoardCounters;
  bySource: (BoardCounters & { source: string | null })[];
  byConfiguration: (BoardCounters & { configurationId: string; name: string | null })[];
  byDay: (BoardCounters & { date: string })[];
  computedAt: string;
  cached: boolean;
}

export type MetricsClient = ReturnType<typeof metricsClient>;

/** The metrics of outreach, as one person asks for them; `usual` goes with every call. */
export function metricsClient(product: Product, { token }: Person, usual: Call = {}) {
  const ask = (query: Record<string, string> = {}, more: Call = {}) =>
    product.call('read-outreach-metrics', { token, query, ...usual, ...more });
  return {
    ask,
    /** The content of the answer; asking must succeed. */
    metrics: async (...asked: Parameters<typeof ask>): Promise<Metrics> =>
      expectStatus(await ask(...asked), 200).data,
    clear: (more: Call = {}) => product.call('clear-outreach-metrics-cache', { token, ...usual, ...more }),
  };
}

export const nothing: BoardCounters = { leads: 0, newContacts: 0, duplicates: 0, applications: 0 };

export const counts = (leads: number, newContacts = leads, applications = 0): BoardCounters => ({
  leads,
  newContacts,
  duplicates: leads - newContacts,
  applications,
});

/**
 * The moment that goes with every call of a test, unless it states another one, so that no day begins in between. Tokens are good
 * for it.
 */
export const now = { at: new Date() };

/** `2026-11-20`: a day in UTC, counted back from that moment's. */
export function daysAgo(days: number): string {
  const today = Date.parse(now.at.toISOString().slice(0, 10));
  return new Date(today - days * 86_400_000).toISOString().slice(0, 10);
}

/** For a call on that day. */
export const onDay = (days: number, time = '12:00:00.000Z') => ({
  at: new Date(`${daysAgo(days)}T${time}`),
});

/** A new organization, whose administrator sends leads and asks for metrics. */
export async function newOutreachClient(product: Product) {
  const admin = await product.newOrganization();
  return { ...leadsClient(product, admin, now), ...metricsClient(product, admin, now) };
}
