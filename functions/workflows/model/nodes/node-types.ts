import condition from './condition.ts';
import delay from './delay.ts';
import httpRequest from './http-request.ts';
import type { NodeType } from './node-type.ts';
import split from './split.ts';
import stop from './stop.ts';
import switchType from './switch.ts';
import trigger from './trigger.ts';
import waitForEvent from './wait-for-event.ts';
import waitUntil from './wait-until.ts';

/** All types of nodes, sorted by name. */
export const nodeTypes = [
  condition,
  delay,
  httpRequest,
  split,
  stop,
  switchType,
  trigger,
  waitForEvent,
  waitUntil,
] as const satisfies readonly unknown[];

const byName: ReadonlyMap<string, unknown> = new Map(nodeTypes.map((one) => [one.type, one]));

/** The type with this name. Its data must be parsed with its schema before anything is asked of it. */
export function nodeTypeOf(type: string): NodeType<unknown, unknown> | undefined {
  return byName.get(type) as NodeType<unknown, unknown> | undefined;
}
