import { ApiError } from './api-error.ts';
import { followEvents } from './follow-events.ts';
import { type Platform, sendRepeatedly } from './send.ts';
import { isStore, keepInMemory, renewSession } from './session.ts';
import type {
  CallOptions,
  ClientOptions,
  ClientSocketClass,
  FollowOptions,
  StoredSession,
  Upload,
  UploadFile,
} from './types.ts';

/**
 * An operation by its method's name: `PUT /api/contacts/{id} pbk`. The letters: `p` it has parameters, `b` a body, `k` takes a key,
 * `c` returns pages with a cursor, `o` needs no caller, `u` must not be sent twice.
 */
export type Methods = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

/** The client without the types that the documents give its methods. */
export interface AnyClient {
  // biome-ignore lint/suspicious/noExplicitAny: The types are those of the document, in the declarations.
  readonly [operation: string]: (...parameters: any[]) => any;
}

/** The client of a service that has these operations. */
export function createClientWith(
  methods: Methods,
  {
    baseUrl: address,
    apiKey,
    session,
    headers: general,
    fetch: given,
    WebSocket,
    wait = letPass,
  }: ClientOptions,
): AnyClient {
  const baseUrl = address.replace(/\/+$/, '');
  const platform: Platform = { fetch: given ?? ((...request) => fetch(...request)), wait };
  const store = session && isStore(session) ? session : keepInMemory(session ?? null);

  /** Calls an operation with what its method was given: parameters, body and options, of which it has those that its letters say. */
  async function call(name: string, parameters: readonly unknown[]): Promise<unknown> {
    const [method = '', path = '', letters = ''] = methods[name]?.split(' ') ?? [];
    const rest = [...parameters];
    const fields = (letters.includes('p') && (rest.shift() as Fields)) || {};
    let body = letters.includes('b') ? rest.shift() : undefined;
    const options = (rest[0] ?? {}) as CallOptions;
    const kept = apiKey === undefined ? await store.get() : null;
    if (name === 'logout' && body === undefined && kept) {
      body = { refreshToken: kept.refreshToken };
    }
    const url = baseUrl + withFields(path, fields);
    const key = letters.includes('k') ? (options.idempotencyKey ?? newKey()) : undefined;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const send = (bearer: string | undefined) => {
      const headers = {
        ...general,
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...options.headers,
      };
      const repeatable = !letters.includes('u');
      return sendRepeatedly(
        { method, url, headers, body: text, repeatable, signal: options.signal },
        platform,
      );
    };
    const isOpen = letters.includes('o');
    const bearer = isOpen ? undefined : (apiKey ?? kept?.token);
    let outcome = await send(bearer);
    if (outcome.status === 401 && bearer !== undefined && kept !== null) {
      const renewed = await renewSession(store, kept, newKey, { ...platform, baseUrl });
      outcome = renewed === null ? outcome : await send(renewed.token);
    }
    if (outcome.status < 200 || outcome.status > 299) {
      throw new ApiError({ method, url, key }, outcome);
    }
    if (bearer === undefined && apiKey === undefined) {
      await adopt(name, outcome.body);
    }
    return outcome.body;
  }

  /** What opens or ends a session for nobody in particular, does so for this client. */
  async function adopt(name: string, answer: unknown): Promise<void> {
    if (name === 'logout') {
      await store.set(null);
    } else if (typeof (answer as Partial<StoredSession> | null)?.refreshToken === 'string') {
      await store.set(answer as StoredSession);
    }
  }

  /** The promise of the first page, which iterates over the records of all of them. */
  function callForPages(name: string, [fields, options]: readonly unknown[]): unknown {
    const pageWith = (more?: Fields) =>
      call(name, [{ ...(fields as Fields), ...more }, options]) as Promise<Page>;
    const first = pageWith();
    return Object.assign(first, {
      async *[Symbol.asyncIterator]() {
        for (let page = await first; ; ) {
          yield* page.data;
          const next = following(page);
          if (next === undefined) {
            return;
          }
          page = await pageWith(next);
        }
      },
    });
  }

  async function upload(files: readonly (UploadFile | File)[], options?: CallOptions): Promise<Upload[]> {
    const sent = files.map((file) => ({ ...blobIn(file), name: file.name, type: file.type }));
    const prepared = (await call('createUploads', [
      { files: sent.map(({ name, type, data }) => ({ name, type, size: data.size })) },
      options,
    ])) as { files: (Upload & { upload: { url: string; fields: Record<string, string> } })[] };
    return Promise.all(
      prepared.files.map(async ({ key, name, type, size, upload: { url, fields } }, index) => {
        const form = new FormData();
        for (const [field, value] of Object.entries(fields)) {
          form.set(field, value);
        }
        form.set('file', sent[index]?.data as Blob, name);
        const request = { method: 'POST', url, headers: {}, body: form, repeatable: true, timeout: 600_000 };
        const outcome = await sendRepeatedly({ ...request, signal: options?.signal }, platform);
        if (outcome.status < 200 || outcome.status > 299) {
          throw new ApiError(request, outcome);
        }
        return { key, name, type, size };
      }),
    );
  }

  function events(options: FollowOptions = {}) {
    const socketToken = async (signal: AbortSignal) =>
      (
        (await call('createSocketToken', [{ signal }])) as {
          data: { socketToken: string; socketUrl: string };
        }
      ).data;
    return followEvents({ WebSocket: WebSocket ?? socketClass(), socketToken, wait }, options);
  }

  const calls = Object.entries(methods).map(([name, described]): [string, unknown] => [
    name,
    / \w*c\w*$/.test(described)
      ? (...parameters: unknown[]) => callForPages(name, parameters)
      : (...parameters: unknown[]) => call(name, parameters),
  ]);
  return { ...Object.fromEntries(calls), upload, events } as AnyClient;
}

interface Page {
  readonly data: readonly unknown[];
  readonly nextCursor?: string | null;
  readonly nextAfter?: string;
  readonly hasMore?: boolean;
}

/** The fields that ask for the page after this one, of a list or of the journal. */
function following({ nextCursor, nextAfter, hasMore }: Page): Fields | undefined {
  if (nextCursor) {
    return { cursor: nextCursor };
  }
  return hasMore ? { after: nextAfter, since: undefined } : undefined;
}

const blobIn = (file: UploadFile | File) => ({ data: 'data' in file ? file.data : file });

/** A key that nobody has used. `crypto.randomUUID` is missing where a page came without encryption. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The path with its parameters filled in, and the others as a query. */
function withFields(path: string, fields: Fields): string {
  const left = new Map(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
  const filled = path.replace(/{(\w+)}/g, (_, name) => {
    const value = left.get(name);
    if (value === undefined || value === '') {
      throw new TypeError(`${name} is missing: it is part of the path ${path}.`);
    }
    // The URL would lead to another operation.
    if (value === '.' || value === '..') {
      throw new TypeError(`${name} cannot be ${value}.`);
    }
    left.delete(name);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams(
    [...left].map(([name, value]): [string, string] => [name, String(value)]),
  );
  return filled + (query.size === 0 ? '' : `?${query}`);
}

function socketClass(): ClientSocketClass {
  if (typeof WebSocket === 'undefined') {
    throw new TypeError(
      'This runtime has no WebSocket, as Node.js before 22: pass the one of the package ws to createClient, as the option WebSocket.',
    );
  }
  return WebSocket;
}

function letPass(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
    if (signal?.aborted) {
      done();
    }
  });
}
