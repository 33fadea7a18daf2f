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

/** The profile of one thread. */
export interface ThreadProfile {
  readonly isMain: boolean;
  readonly profile: Profile;
}

const samplingMicroseconds = 500;

/** Profiles all threads of the process behind a debugger's URL while `work` is in progress. */
export async function profileDuring(url: string, work: () => Promise<unknown>): Promise<ThreadProfile[]> {
  const inspector = await connect(url);
  try {
    await inspector.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
    await pause(500); // Sessions of the threads come as events.
    const threads = [undefined, ...inspector.workers()];
    const begun = await Promise.all(
      threads
        .map(async (thread) => {
          await inspector.send('Profiler.enable', {}, thread);
          await inspector.send('Profiler.setSamplingInterval', { interval: samplingMicroseconds }, thread);
          await inspector.send('Profiler.start', {}, thread);
        })
        .map(isDone),
    );
    await work();
    const profiles = await Promise.all(
      threads
        .filter((_, index) => begun[index])
        .map(async (thread): Promise<ThreadProfile> => {
          const { profile } = await inspector.send('Profiler.stop', {}, thread);
          return { isMain: thread === undefined, profile: profile as Profile };
        })
        .map((stopped) => stopped.catch(() => undefined)),
    );
    return profiles.filter((profile) => profile !== undefined);
  } finally {
    inspector.close();
  }
}

/** Whether it succeeds: there is no profile of a thread that the host has ended meanwhile. */
function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

type Result = Record<string, unknown>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message?: string };
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

/** A thread that has ended never responds. */
const answerMilliseconds = 60_000;

/** Connects to a debugger. Each thread has a session; the main thread has none. */
async function connect(url: string) {
  const socket = new WebSocket(url, { maxPayload: 2 ** 30 });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const waiting = new Map<
    number,
    PromiseWithResolvers<Result> & { readonly sessionId: string | undefined }
  >();
  const workers = new Set<string>();
  let last = 0;

  const settle = (id: number, { result, error }: Message) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) {
      answer?.resolve(result ?? {});
    } else {
      answer?.reject(new Error(error.message));
    }
  };
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message;
    const { id, method, params } = message;
    if (id !== undefined) {
      settle(id, message);
    } else if (method === 'NodeWorker.attachedToWorker' && params !== undefined) {
      workers.add(params.sessionId);
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      const answer = JSON.parse(params?.message ?? '{}') as Message;
      settle(answer.id ?? 0, answer);
    } else if (method === 'NodeWorker.detachedFromWorker' && params !== undefined) {
      workers.delete(params.sessionId);
      for (const [waitingId, { sessionId }] of waiting) {
        if (sessionId === params.sessionId) {
          settle(waitingId, { error: { message: 'The thread has ended.' } });
        }
      }
    }
  });

  const request = (method: string, params: object, sessionId?: string) => {
    last += 1;
    const id = last;
    const answer = Promise.withResolvers<Result>();
    waiting.set(id, { ...answer, sessionId });
    const timer = setTimeout(
      () => settle(id, { error: { message: `No response to ${method}` } }),
      answerMilliseconds,
    );
    const promise = answer.promise.finally(() => clearTimeout(timer));
    return { message: JSON.stringify({ id, method, params }), promise };
  };
  const sendToProcess = (method: string, params: object): Promise<Result> => {
    const { message, promise } = request(method, params);
    socket.send(message);
    return promise;
  };
  return {
    workers: () => [...workers],
    async send(method: string, params: object, sessionId?: string): Promise<Result> {
      if (sessionId === undefined) {
        return sendToProcess(method, params);
      }
      const { message, promise } = request(method, params, sessionId);
      const [answer] = await Promise.all([
        promise,
        sendToProcess('NodeWorker.sendMessageToWorker', { sessionId, message }),
      ]);
      return answer;
    },
    close: () => socket.close(),
  };
}
