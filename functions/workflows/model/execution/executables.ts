import { contactSteps } from './contact-steps.ts';
import type { AnyExecutable } from './executable.ts';
import { flowSteps } from './flow-steps.ts';
import httpRequest from './http-request-step.ts';
import { recordSteps } from './record-steps.ts';
import sendMessage from './send-message-step.ts';
import { waitSteps } from './wait-steps.ts';

/** How runs take the steps of each type of node of the catalogue. */
export const executables: readonly AnyExecutable[] = [
  ...flowSteps,
  ...waitSteps,
  ...contactSteps,
  ...recordSteps,
  sendMessage,
  httpRequest,
];

const byName: ReadonlyMap<string, AnyExecutable> = new Map(executables.map((kind) => [kind.type, kind]));

/** The type with this name, as the engine takes its steps. */
export function executableNamed(type: string): AnyExecutable | undefined {
  return byName.get(type);
}
