import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { WorkerTraces } from './worker-traces.ts';

/** The output of this thread. */
export interface Output {
  /** Takes the complete lines that have been printed since the last call. */
  take(): string | undefined;
}

/**
 * Collects what this thread prints to stdout and stderr, in order. Calls `onPrinted` at the end of a turn of the event loop that has
 * printed lines which nobody has taken yet, and at once when there are many. `traces` always has the lines that are not taken yet.
 */
export function collectedOutput(traces: WorkerTraces, onPrinted: () => void): Output {
  let text = '';
  let isScheduled = false;

  const take = () => {
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) {
      return undefined;
    }
    const lines = text.slice(0, end);
    text = text.slice(end);
    traces.keep(text);
    return lines;
  };
  const flush = () => {
    isScheduled = false;
    if (text.includes('\n')) {
      onPrinted();
    }
  };
  const print = (printed: string) => {
    text += printed;
    if (!traces.keep(text)) {
      flush();
    } else if (!isScheduled) {
      isScheduled = true;
      setImmediate(flush);
    }
  };
  for (const stream of [process.stdout, process.stderr]) {
    redirect(stream, print);
  }
  return { take };
}

/** Without this, the streams of a worker would post a message for every write, and get one back. */
function redirect(stream: Writable, print: (text: string) => void): void {
  const decoder = new StringDecoder();
  stream._write = (chunk: string | Buffer, _encoding, written) => {
    print(typeof chunk === 'string' ? chunk : decoder.write(chunk));
    written();
  };
  stream._writev = (chunks, written) => {
    for (const { chunk } of chunks) {
      print(typeof chunk === 'string' ? chunk : decoder.write(chunk));
    }
    written();
  };
}
