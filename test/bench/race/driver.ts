import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Drive, Driven, Told } from './client.ts';
import type { Subject } from './requests.ts';

/** The process that sends requests. */
export interface Driver {
  /** Resolves with the results, even if no response was as expected. */
  drive(to: string, wanted: Drive): Promise<Driven>;
  stop(): Promise<void>;
}

/** Starts it. @param subjects the data of requests, by contestant. */
export function startDriver(subjects: Readonly<Record<string, Subject>>): Driver {
  const child = fork(fileURLToPath(new URL('./client.ts', import.meta.url)), { execArgv: [] });
  const ended = once(child, 'exit');
  const tell = (told: Told) => child.send(told);
  tell({ subjects });
  return {
    async drive(to, wanted) {
      const answer = once(child, 'message');
      tell({ to, ...wanted });
      const [driven] = (await answer) as [Driven | { error: string }];
      if ('error' in driven) {
        throw new Error(driven.error);
      }
      return driven;
    },
    async stop() {
      if (child.connected) {
        child.disconnect();
      }
      await ended;
    },
  };
}
