import { requireWritable, type SendingScope } from '../kernel/ports.ts';
import type { OutgoingPosts } from '../kernel/providers/outgoing-posts.ts';
import { required } from './environment.ts';
import {
  findCheckedHost,
  type PostPolicy,
  postPolicies,
  type ResolveName,
  resolveByDns,
  resolveBySystem,
} from './outgoing-posts/checked-host.ts';
import { postOnce } from './outgoing-posts/post-once.ts';

/** Milliseconds that a name has to resolve when nothing is sent yet. */
const checkTimeout = 3_000;

/** Posts to what the policy in OUTGOING_POSTS allows what the invocation may post. */
export function provideOutgoingPosts(environment: NodeJS.ProcessEnv): (scope: SendingScope) => OutgoingPosts {
  const name = required(environment, 'OUTGOING_POSTS');
  const policy = postPolicies.find((known) => known === name);
  if (policy === undefined) {
    throw new Error(`OUTGOING_POSTS must be one of ${postPolicies.join(', ')}`);
  }
  const posts = outgoingPosts(policy, policy === 'local' ? resolveBySystem : resolveByDns);
  return (scope) => ({
    ...posts,
    async post(post) {
      await requireWritable(scope);
      return posts.post(post);
    },
  });
}

/** The port, with the way to find the addresses of a name. */
export function outgoingPosts(policy: PostPolicy, resolve: ResolveName): OutgoingPosts {
  return {
    async check(url) {
      const signal = AbortSignal.timeout(checkTimeout);
      const unresolved = {
        reason: 'unresolved',
        message: 'The name of the host does not resolve in time',
      } as const;
      const checked = await raceSignal(signal, findCheckedHost(url, policy, resolve, signal), unresolved);
      return 'reason' in checked ? checked : undefined;
    },
    async post(post) {
      const start = performance.now();
      const timeout = AbortSignal.timeout(post.timeout);
      const signal = post.signal === undefined ? timeout : AbortSignal.any([timeout, post.signal]);
      const result = await checkAndPost();
      const milliseconds = Math.round(performance.now() - start);
      if (typeof result === 'string') {
        return { error: result, milliseconds };
      }
      const { status, response, headers } = result;
      const retryAfter = headers['retry-after'];
      return { status, milliseconds, response, ...(retryAfter !== undefined && { retryAfter }) };

      async function checkAndPost() {
        const finding = findCheckedHost(post.url, policy, resolve, signal);
        const checked = await raceSignal(signal, finding, 'timeout' as const);
        if (checked === 'timeout') {
          return checked;
        }
        if ('reason' in checked) {
          return checked.reason === 'unresolved' ? 'dns' : checked.reason;
        }
        return postOnce(checked, post, signal);
      }
    },
  };
}

/** The result of the work, or the other value as soon as the signal aborts: a name that resolves slowly cannot be stopped. */
async function raceSignal<Result, Otherwise>(
  signal: AbortSignal,
  work: Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  const { promise, resolve } = Promise.withResolvers<Otherwise>();
  const abort = () => resolve(otherwise);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) {
    abort();
  }
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
