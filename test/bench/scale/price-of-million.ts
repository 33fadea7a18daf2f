import type { Cost } from '../../costs/costs.ts';
import { functionTime, prices } from './prices.ts';

/** Dollars for a million calls. */
export interface PriceOfMillion {
  readonly table: number;
  readonly function: number;
  readonly gateway: number;
  readonly logs: number;
  readonly all: number;
}

/** The cost of what does not need the table. */
export const untouched: Cost = { roundTrips: 0, readUnits: 0, writeUnits: 0 };

/** The log of a call: the line of its function, and that of the gateway. Bytes. */
const logged = 900;

/**
 * A million calls of an operation, by what one consumes of the table, its milliseconds of processor time on this machine, and the memory
 * of its function in megabytes. `gateway` is what the gateway or the queues take for them, by default for requests of the HTTP API.
 * What the stream's readers do later is not in it.
 */
export function priceOfMillion(
  { readUnits, writeUnits, roundTrips }: Cost,
  cpu: number,
  memory: number,
  gateway: number = prices.million.httpRequests,
): PriceOfMillion {
  const { million } = prices;
  const table = readUnits * million.readUnits + writeUnits * million.writeUnits;
  const parts = {
    table,
    function: million.functionRequests + functionTime(cpu, roundTrips, memory),
    gateway,
    logs: logged * million.logBytes,
  };
  return { ...parts, all: Object.values(parts).reduce((sum, part) => sum + part, 0) };
}
