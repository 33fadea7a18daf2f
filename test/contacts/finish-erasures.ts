import operation from '../../functions/contacts/finish-erasures.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveSchedule } from '../../shared/kernel/serve/serve-schedule.ts';
import type { Product } from '../harness/product.ts';

/** Runs the schedule that finishes erasures; its figures. */
export async function finishErasures(
  { providers }: Pick<Product, 'providers'>,
  at: Date,
): Promise<Record<string, unknown>> {
  const figures = {};
  const runtime = {
    ...systemRuntime,
    clock: () => at,
    log: (line: object) => Object.assign(figures, line),
  };
  await serveSchedule('finish-erasures', operation, providers, runtime)();
  return figures;
}
