import type { MessageQueue } from '../kernel/message-queue.ts';
import { requireWritable, type SendingScope } from '../kernel/ports.ts';
import { second } from '../kernel/time.ts';
import { toDigest } from '../table/digest.ts';
import type { ClientLimits } from './aws/client-limits.ts';
import { sqsRequests } from './aws/sqs.ts';
import { required } from './environment.ts';

/**
 * Short, because a client waits, and because a message that cannot be queued is not lost: both tries together take less time than the
 * kernel leaves at the end of an invocation.
 */
const usualLimits: ClientLimits = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 400, requestTimeout: 600, throwOnRequestTimeout: true },
};

/** Sends to a queue of Amazon SQS what the invocation may send. */
function provideQueue(environment: NodeJS.ProcessEnv, variable: string, limits: ClientLimits = usualLimits) {
  const QueueUrl = required(environment, variable);
  const ask = sqsRequests(environment, limits);
  return (scope: SendingScope): MessageQueue => ({
    async send(MessageBody, { group, delay = 0 }) {
      await requireWritable(scope);
      const message = {
        QueueUrl,
        MessageBody,
        // A digest has only characters that a group may have, and says nothing about anybody.
        MessageGroupId: toDigest(group),
        ...(delay > 0 && { DelaySeconds: Math.round(delay / second) }),
      };
      await ask(({ client, SendMessageCommand }) => client.send(new SendMessageCommand(message)));
    },
  });
}

export const provideDeferredRequests = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'DEFERRED_REQUESTS_URL', limits);
export const provideOutgoingMail = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'OUTGOING_MAIL_URL', limits);
export const provideOutgoingTexts = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'OUTGOING_TEXTS_URL', limits);
export const provideWorkflowRuns = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'WORKFLOW_RUNS_URL', limits);
export const provideLiveEvents = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'LIVE_EVENTS_URL', limits);
export const provideCompactions = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'COMPACTIONS_URL', limits);
export const provideWebhookPosts = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'WEBHOOK_POSTS_URL', limits);
