import { loadOperations, ofKind } from '../../infra/registry.ts';
import type { QueueResult } from '../../shared/kernel/serve/queue-event.ts';
import { serveQueue } from '../../shared/kernel/serve/serve-queue.ts';
import { minute } from '../../shared/kernel/time.ts';
import type { Call } from '../harness/call.ts';
import { type Person, type Product, password } from '../harness/product.ts';
import { queueEvent, runtimeAt, type SentMessage } from '../harness/queues.ts';
import { tokenIn } from '../harness/recording-mail.ts';
import { type TableStream, tableStream } from '../harness/table-stream.ts';

export const newPassword = 'a quite different sentence';

/** Forgotten passwords and invitations as people use them, by the links in their emails. */
export interface MailClient {
  readonly stream: TableStream;
  /** Lets everything in the background happen that waits for no other try. */
  settle(): Promise<void>;
  forget(email: string, more?: Call): ReturnType<Product['call']>;
  /** Says that the password is forgotten, and takes the token from the email that comes. */
  resetToken(email: string, more?: Call): Promise<string>;
  reset(token: string, more?: Record<string, unknown>, at?: Date): ReturnType<Product['call']>;
  invite(by: Person, body: Record<string, unknown>, more?: Call): ReturnType<Product['call']>;
  /** Invites an address, and takes the token from the email that comes. */
  invited(by: Person, body: Record<string, unknown>): Promise<{ id: string; token: string }>;
  accept(token: string, more?: Record<string, unknown>, at?: Date): ReturnType<Product['call']>;
  list(by: Person, at?: Date): ReturnType<Product['call']>;
  logIn(email: string, password: string, more?: Call): ReturnType<Product['call']>;
  /** Somebody with the access token of a login at a later time. */
  signedIn(person: Person, at: Date): Promise<Person>;
  /** The token in the latest email with a link to an address. */
  latestToken(email: string): string;
  /** Delivers the emails that were postponed, whatever their delays; returns those delays, in minutes. */
  deliverDelayed(at?: Date): Promise<{ delays: number[]; result: QueueResult }>;
}

/** @param log gets the log lines of everything that runs in the background. */
export async function mailClient(
  product: Product,
  log: (line: Record<string, unknown>) => void = () => undefined,
): Promise<MailClient> {
  const stream = await tableStream(product, log);
  const sender = ofKind(await loadOperations(), 'queue').find(({ name }) => name === 'send-mail');
  if (sender === undefined) {
    throw new Error('Nobody sends mail');
  }
  const { name: senderName, operation: sending } = sender;
  const queue = product.queues.outgoingMail;

  async function deliver(messages: readonly SentMessage[], at?: Date) {
    const providers = { ...product.providers, queue: () => queue };
    const run = serveQueue(senderName, sending, providers, runtimeAt({ log, ...(at && { at }) }));
    return run(queueEvent(messages.map(({ body }) => body)));
  }

  async function settle() {
    await stream.settle();
    await deliver(queue.take(({ delay }) => delay === 0));
    await stream.settle();
  }

  const linksTo = (email: string) => product.mail.to(email).filter(({ text }) => text.includes('token='));
  const latestToken = (email: string) => {
    const mail = linksTo(email).at(-1);
    if (mail === undefined) {
      throw new Error('No mail has come');
    }
    return tokenIn(mail);
  };
  const forget = (email: string, more: Call = {}) =>
    product.call('forgot-password', { body: { email }, ...more });
  const invite = (by: Person, body: Record<string, unknown>, more: Call = {}) =>
    product.call('invite-user', { token: by.token, body, ...more });

  const logIn: MailClient['logIn'] = (email, secret, more = {}) =>
    product.call('login', { body: { email, password: secret }, ...more });

  return {
    stream,
    settle,
    forget,
    async resetToken(email, more) {
      const { length } = linksTo(email);
      await forget(email, more);
      await settle();
      if (linksTo(email).length !== length + 1) {
        throw new Error('No mail has come');
      }
      return latestToken(email);
    },
    reset: (token, more = {}, at) =>
      product.call('reset-password', { body: { token, password: newPassword, ...more }, at }),
    invite,
    async invited(by, body) {
      const response = await invite(by, body);
      await settle();
      return { id: response.body.data._id, token: latestToken(response.body.data.email) };
    },
    accept: (token, more = {}, at) =>
      product.call('accept-invitation', {
        body: { token, firstName: 'Grace', lastName: 'Hopper', password, ...more },
        at,
      }),
    list: (by, at) => product.call('list-invitations', { token: by.token, at }),
    logIn,
    signedIn: async (person, at) => ({
      ...person,
      token: (await logIn(person.email, password, { at })).body.token,
    }),
    latestToken,
    async deliverDelayed(at) {
      const messages = queue.take();
      const result = await deliver(messages, at);
      return { delays: messages.map(({ delay }) => delay / minute), result };
    },
  };
}
