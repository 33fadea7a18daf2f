import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';

/** A function of a profile, as V8 knows it. Lines and columns count from 0. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: Frame;
  readonly children?: readonly number[];
}

/** A CPU profile of V8. Source: Chrome DevTools Protocol, Profiler.Profile. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** What one thread did. */
export interface ThreadProfile {
  readonly isMain: boolean;
  readonly profile: Profile;
}

const samplingMicroseconds = 500;

/** Profiles the process behind a debugger's URL, all its threads at once, while `work` is under way. */
export async function profileDuring(url: string, work: () => Promise<unknown>): Promise<ThreadProfile[]> {
  const inspector = await connect(url);
  try {
    await inspector.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
    await pause(500); // Sessions of the threads come as events.
    const threads = [undefined, ...inspector.workers()];
    for (const thread of threads) {
      await inspector.send('Profiler.enable', {}, thread);
      await inspector.send('Profiler.setSamplingInterval', { interval: samplingMicroseconds }, thread);
      await inspector.send('Profiler.start', {}, thread);
    }
    await work();
    const profiles: ThreadProfile[] = [];
    for (const thread of threads) {
      const stopped = await inspector.send('Profiler.stop', {}, thread).catch(() => undefined);
      if (stopped !== undefined) {
        profiles.push({ isMain: thread === undefined, profile: stopped.profile as Profile });
      }
    }
    return profiles;
  } finally {
    inspector.close();
  }
}

type Result = Record<string, unknown>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message?: string };
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

/** A debugger's connection; a thread is named by its session, and the process's own has none. */
async function connect(url: string) {
  const socket = new WebSocket(url, { maxPayload: 2 ** 30 });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const waiting = new Map<number, PromiseWithResolvers<Result>>();
  const workers = new Set<string>();
  let last = 0;

  const settle = ({ id, result, error }: Message) => {
    const answer = waiting.get(id ?? 0);
    waiting.delete(id ?? 0);
    if (error === undefined) {
      answer?.resolve(result ?? {});
    } else {
      answer?.reject(new Error(error.message));
    }
  };
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message;
    const { method, params } = message;
    if (method === 'NodeWorker.attachedToWorker' && params !== undefined) {
      workers.add(params.sessionId);
    } else if (method === 'NodeWorker.detachedFromWorker' && params !== undefined) {
      workers.delete(params.sessionId);
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      settle(JSON.parse(params?.message ?? '{}'));
    } else if (message.id !== undefined) {
      settle(message);
    }
  });

  const say = (method: string, params: object): Promise<Result> => {
    last += 1;
    const answer = Promise.withResolvers<Result>();
    waiting.set(last, answer);
    socket.send(JSON.stringify({ id: last, method, params }));
    return answer.promise;
  };
  return {
    workers: () => [...workers],
    async send(method: string, params: object, sessionId?: string): Promise<Result> {
      if (sessionId === undefined) {
        return say(method, params);
      }
      last += 1;
      const answer = Promise.withResolvers<Result>();
      waiting.set(last, answer);
      const message = JSON.stringify({ id: last, method, params });
      await say('NodeWorker.sendMessageToWorker', { sessionId, message });
      return answer.promise;
    },
    close: () => socket.close(),
  };
}
