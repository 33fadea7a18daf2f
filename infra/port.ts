import type { QueueName } from '../shared/kernel/message-queue.ts';
import { areaPrefix, type ObjectArea } from '../shared/ports/object-keys.ts';
import type { Grant } from './grant.ts';
import { pascalCase } from './pascal-case.ts';
import type { Resources } from './port-resources.ts';
import type { TableAccess } from './stacks/table-grants.ts';

/** One access of a port: its provider, and what a function needs to use it. */
export interface Port {
  /** The module's path from the project's root, and its function that creates the provider. */
  readonly provider: readonly [module: string, name: string];
  readonly environment?: (resources: Resources) => Record<string, string>;
  readonly grants?: (resources: Resources) => Grant[];
  /** Separate from `grants`, because one statement covers the table for all ports of a function. */
  readonly table?: TableAccess;
  /** In megabytes, if the port needs more than other functions. 1,769 give a full CPU. */
  readonly memory?: number;
}

/** A port on the table, bound to partitions that match this pattern. */
export function tablePort(provide: string, partitions: string): Record<'read' | 'write', Port> {
  const environment = ({ tableName }: Resources) => ({ TABLE_NAME: tableName });
  const module = 'shared/ports/table.ts';
  return {
    read: { environment, provider: [module, `${provide}Reader`], table: { partitions, access: 'read' } },
    write: { environment, provider: [module, provide], table: { partitions, access: 'write' } },
  };
}

/** A port on objects, with its allowed actions in each area. */
export function objectsPort(provide: string, actions: Partial<Record<ObjectArea, readonly string[]>>): Port {
  return {
    provider: ['shared/ports/objects.ts', provide],
    environment: ({ bucketName }) => ({ BUCKET_NAME: bucketName }),
    grants: ({ objectsArn }) =>
      Object.entries(actions).map(([area, allowed]) => ({
        actions: allowed,
        resources: [objectsArn(`${areaPrefix(area as ObjectArea)}*`)],
        wildcard:
          'Objects get their keys when they are stored; the port puts the organization of the caller into each.',
      })),
  };
}

/** A port that sends to a queue. For `outgoingMail` its provider is `provideOutgoingMail`, which reads `OUTGOING_MAIL_URL`. */
export function queuePort(queue: QueueName): Port {
  const words = queue.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return {
    provider: ['shared/ports/queue.ts', `provide${pascalCase(words)}`],
    environment: ({ queueUrl }) => ({ [`${words.toUpperCase()}_URL`]: queueUrl(queue) }),
    grants: ({ queueArn }) => [{ actions: ['sqs:SendMessage'], resources: [queueArn(queue)] }],
  };
}
