import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The messages in the queues of the templates, oldest first. Nothing here reads from a queue. */
export interface Queues {
  /** Appends a message to the queue with this ARN. */
  send(arn: string, body: unknown): Promise<void>;
  /** The bodies of all messages of the queue with this name. */
  messages(name: string): Promise<unknown[]>;
}

/** Keeps one file per queue in `directory`, one message per line. */
export function openQueues(directory: string): Queues {
  const fileOf = (name: string) => join(directory, `${name}.jsonl`);
  return {
    async send(arn, body) {
      const file = fileOf(arn.split(':').at(-1) ?? arn);
      await mkdir(dirname(file), { recursive: true });
      await appendFile(file, `${JSON.stringify(body)}\n`, { flush: true });
    },
    async messages(name) {
      const text = await readFile(fileOf(name), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
  };
}
