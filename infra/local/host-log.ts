/** Receives everything that happens on a host. */
export interface HostLog {
  /** A function has printed a line. */
  printed(functionName: string, line: string): void;
  /** The host itself has something to say. */
  note(line: string): void;
  /** A request has arrived at the gateway. */
  arrived(request: RequestStart): void;
  /** The gateway has sent its response. */
  answered(requestId: string, status: number): void;
}

export interface RequestStart {
  readonly requestId: string;
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
}

/** For programs: the lines of functions unchanged, each a JSON object, and the host's lines in the same form. */
export function jsonLog(write: (line: string) => void): HostLog {
  return {
    printed: (_functionName, line) => write(line),
    note: (message) => write(JSON.stringify({ level: 'info', message })),
    arrived: () => undefined,
    answered: () => undefined,
  };
}

export const silentLog: HostLog = jsonLog(() => undefined);
