import { argon2 } from 'node:crypto';
import { promisify } from 'node:util';
import { systemRuntime } from '../serve/invocation.ts';

export interface Argon2idParameters {
  readonly message: Uint8Array;
  readonly nonce: Uint8Array;
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  /** In bytes. */
  readonly tagLength: number;
}

/** Computes a tag with argon2id, version 1.3, in a separate thread. Every implementation gives the same bytes. */
export type Argon2id = (parameters: Argon2idParameters) => Promise<Buffer>;

const derive = promisify(argon2);

/** The implementation in Node.js itself. */
export const nodeArgon2id: Argon2id = (parameters) => derive('argon2id', parameters);

/**
 * The implementation in `@node-rs/argon2`, which takes 0.4 of the time on x64. Rejects where its native file cannot be loaded. Imported
 * late: only the bundles of functions that hash have the file, and their start does not wait for it.
 */
export async function loadNativeArgon2id(): Promise<Argon2id> {
  const { hashRaw } = await import('@node-rs/argon2');
  return ({ message, nonce, memory, passes, parallelism, tagLength }) =>
    hashRaw(message, {
      algorithm: 2, // argon2id
      version: 1, // 1.3
      salt: nonce,
      memoryCost: memory,
      timeCost: passes,
      parallelism,
      outputLen: tagLength,
    });
}

/**
 * The native implementation; if it cannot be loaded, Node's own, and the log says so once. The file loads while a function that has just
 * started waits for the table, which it needs before the first hash.
 */
export function nativeOrNodeArgon2id(
  native: Promise<Argon2id> = loadNativeArgon2id(),
  log: (line: Record<string, unknown>) => void = systemRuntime.log,
): Argon2id {
  const loaded = native.catch((error: unknown) => {
    log({
      level: 'warn',
      message:
        'The native file for password hashes cannot be loaded. Node.js computes them instead: the same hashes, in about twice the time.',
      cause: error instanceof Error ? error.message : String(error),
    });
    return nodeArgon2id;
  });
  return async (parameters) => (await loaded)(parameters);
}
