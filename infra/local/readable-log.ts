import { stripVTControlCharacters, styleText } from 'node:util';
import * as z from 'zod';
import type { HostLog, RequestStart } from './host-log.ts';

/** An error as the kernel writes it. */
const LoggedError = z.object({
  name: z.string().optional(),
  message: z.string().optional(),
  stack: z.string().optional(),
  get cause() {
    return LoggedError.optional();
  },
});
type LoggedError = z.infer<typeof LoggedError>;

/** The log entry that the kernel writes for a request or a run. */
const Entry = z.looseObject({
  operation: z.string(),
  requestId: z.string().optional(),
  status: z.number().optional(),
  requests: z.number().default(0),
  readUnits: z.number().default(0),
  writeUnits: z.number().default(0),
  /** An unexpected error. */
  defect: LoggedError.optional(),
  /** The error behind a failure whose response does not show it. */
  cause: LoggedError.optional(),
});
type Entry = z.infer<typeof Entry>;

/** The fields that every request or run has, and the part that a scheduled run works on; other numbers are figures of the operation. */
const common = new Set([
  'status',
  'requests',
  'roundTrips',
  'readUnits',
  'writeUnits',
  'milliseconds',
  'part',
]);

interface Pending extends RequestStart {
  readonly startedAt: number;
  status?: number;
  milliseconds?: number;
  entry?: Entry;
}

const workerModule = new URL('./workers/worker.ts', import.meta.url).href;

/** How many milliseconds after its response the entry of a function may arrive. */
const longestDelay = 100;

/**
 * For people, one line per request: `14:02:11 POST /api/contacts 200 34 ms list-contacts-by-stage  6 requests 3.5 RU`. Health checks
 * that pass and runs in the background that found nothing to do are left out. Until the first other request all runs in the background
 * that have no error are, so that what the start has printed last stays in view. Times are those of the reader's zone.
 */
export function readableLog(
  write: (line: string) => void,
  timeZone: string,
  clock: () => Date = () => new Date(),
): HostLog {
  const pending = new Map<string, Pending>();
  let hasServed = false;
  const timeOf = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone });
  const say = (...parts: (string | undefined)[]) =>
    write([timeOf.format(clock()), ...parts.filter(Boolean)].join(' '));

  function finish(request: Pending): void {
    if (!pending.delete(request.requestId)) {
      return;
    }
    const { method, path, status = 0, milliseconds, entry } = request;
    if (path === '/api/health' && status === 200) {
      return;
    }
    say(method, visible(path), coloured(status), `${milliseconds} ms`, entry && summaryOf(entry));
    explain(entry);
  }

  function explain(entry: Entry | undefined): void {
    const error = entry?.defect ?? entry?.cause;
    for (const line of error ? linesOf(error) : []) {
      write(`  ${line}`);
    }
  }

  return {
    note: say,
    printed(functionName, line) {
      const entry = entryIn(line);
      const request = pending.get(entry?.requestId ?? '');
      if (entry === undefined) {
        say(`[${functionName}]`, line);
      } else if (request !== undefined) {
        request.entry = entry;
        if (request.status !== undefined) {
          finish(request);
        }
      } else if (isFailed(entry) || (hasServed && !foundNothing(entry))) {
        say(summaryOf(entry), entry.status === undefined ? undefined : coloured(entry.status));
        explain(entry);
      }
    },
    arrived(request) {
      hasServed ||= request.path !== '/api/health';
      pending.set(request.requestId, { ...request, startedAt: clock().getTime() });
    },
    answered(requestId, status) {
      const request = pending.get(requestId);
      if (request === undefined) {
        return;
      }
      request.status = status;
      request.milliseconds = clock().getTime() - request.startedAt;
      if (request.entry) {
        finish(request);
      } else {
        setTimeout(finish, longestDelay, request).unref();
      }
    },
  };
}

function entryIn(line: string): Entry | undefined {
  try {
    return Entry.parse(JSON.parse(line));
  } catch {
    return undefined; // A function may print anything.
  }
}

/** `list-contacts-by-stage  6 requests 3.5 RU`; the operation's own figures come before those of the table. */
function summaryOf(entry: Entry): string {
  const { operation, requests, readUnits, writeUnits } = entry;
  const figures = [
    ...figuresOf(entry).map(([name, value]) => `${value} ${name}`),
    requests > 0 && `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    readUnits > 0 && `${readUnits} RU`,
    writeUnits > 0 && `${writeUnits} WU`,
  ].filter(Boolean);
  return figures.length === 0 ? operation : `${operation}  ${styleText('dim', figures.join(' '))}`;
}

function figuresOf(entry: Entry): [name: string, value: number][] {
  return Object.entries(entry).filter(
    (field): field is [string, number] => typeof field[1] === 'number' && !common.has(field[0]),
  );
}

const isFailed = ({ defect, cause }: Entry) => defect !== undefined || cause !== undefined;

/** Whether this was a run by the clock, or by changes of the table, that found nothing to do. */
function foundNothing(entry: Entry): boolean {
  const isRun = entry.requestId === undefined && !isFailed(entry);
  const figures = figuresOf(entry);
  const results = figures.filter(([name]) => name !== 'changes');
  return isRun && (results.length === 0 ? figures : results).every(([, value]) => value === 0);
}

function linesOf({ name, message, stack, cause }: LoggedError): string[] {
  // The workers' own module is left out.
  const lines = (stack ?? `${name}: ${message}`).split('\n').filter((line) => !line.includes(workerModule));
  return cause === undefined ? lines : [...lines, 'caused by', ...linesOf(cause)];
}

/** Clients choose the path: no part of it may reach the terminal as a control sequence. */
const visible = (path: string) => stripVTControlCharacters(path).replaceAll(/\p{Cc}/gu, '?');

function coloured(status: number): string {
  return styleText(status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green', String(status));
}
