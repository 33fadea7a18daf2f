import * as z from 'zod/mini';
import { argon2Passwords } from '../../../shared/auth/passwords.ts';
import { newSigningSecret, signingKeys } from '../../../shared/auth/signing-secret.ts';
import { tokenSigner } from '../../../shared/auth/tokens.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { noDeadline } from '../../../shared/kernel/deadline.ts';
import type { Operation } from '../../../shared/kernel/operation.ts';
import { eventKey } from '../../../shared/live/outbox.ts';
import { type NewcomerPolicy, newcomerPolicies } from '../../../shared/organizations/newcomer-policy.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { roleOf } from './accounts.ts';
import type { LoadedTable } from './connection.ts';
import { type Randomness, randomness } from './randomness.ts';

/** A request in the past. */
export interface PastRequest {
  readonly at: Date;
  /** A user of the demo data; undefined for operations that anyone may call. */
  readonly by?: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** An access token, for an operation that reads it itself. */
  readonly token?: string;
  /** In place of the organization's own, for a step of a run. */
  readonly table?: TableWriter;
  readonly newId?: () => string;
  /** Unless that of a developer's machine. */
  readonly policy?: NewcomerPolicy;
  /** The first ids that the operation creates; undefined for any id. */
  readonly ids?: readonly (string | undefined)[] | undefined;
}

/** Where requests of the past came from: an address for documentation. Source: RFC 5737. */
const demoAddress = '192.0.2.1';

/** The response of most operations that create something. */
export interface Made {
  readonly data: { readonly _id: string };
}

/** Runs operations at a time in the past, as demo users. */
export interface Past {
  /** What ages count from. */
  readonly now: Date;
  readonly random: Randomness;
  /** The table of an organization, for what is not written by operations. */
  table(organizationId: string): TableWriter;
  /** For what belongs to no organization. */
  readonly platform: TableWriter<'platform'>;
  /** The same past, with the organization's own records (users, phone numbers, pipelines) read once: they no longer change. */
  settled(): Past;
  /** The same past with its own seeded randomness, for work that runs at the same time as other work. */
  beside(seed: number): Past;
  /** @throws what the operation throws. */
  run<Result = Made>(operation: Operation, request: PastRequest): Promise<Result>;
}

export async function openPast(loaded: LoadedTable, now: Date): Promise<Past> {
  const secret = await newSigningSecret(1, now);
  const tokens = tokenSigner(signingKeys({ read: async () => secret, write: async () => undefined }));
  const passwords = argon2Passwords();

  const pastWith = (random: Randomness, table: Past['table']): Past => ({
    now,
    random,
    table,
    platform: loaded.platform,
    settled() {
      const settled = remembering(table(demo.organization));
      return pastWith(random, (id) => (id === demo.organization ? settled : table(id)));
    },
    beside: (seed) => pastWith(randomness(seed), table),
    async run<Result>(
      operation: Operation,
      {
        at,
        by,
        path = {},
        body,
        headers,
        token,
        ids = [],
        policy = newcomerPolicies.open,
        ...given
      }: PastRequest,
    ) {
      const left = [...ids];
      const request = {
        path,
        query: {},
        body: operation.body && z.parse(operation.body, body),
        headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        sent: {
          method: '',
          path: '',
          url: '',
          text: JSON.stringify(body),
          isForm: false,
          leftOut: [],
          // Unlike that of any other request.
          requestId: `${at.toISOString()} ${operation.route} ${JSON.stringify(body)}`,
          receivedAt: at,
        },
        sourceIp: demoAddress,
      };
      const organizationId = by === demo.superadmin ? demo.platform : demo.organization;
      return (await operation.run(request, {
        ...loaded,
        organizations: table,
        table: given.table ?? table(organizationId),
        tokens,
        passwords,
        newcomerPolicy: policy,
        mail: { isConfigured: true },
        caller: by && { userId: by, role: roleOf(by), organizationId, homeOrganizationId: organizationId },
        now: at,
        deadline: noDeadline,
        newId: given.newId ?? (() => left.shift() ?? random.idAt(at)),
        random: Math.random,
      })) as Result;
    },
  });
  return pastWith(randomness(0), (organizationId) => withoutEvents(loaded.organization(organizationId)));
}

const [events] = eventKey('', '').partition;
const nothing: Action = { request: {} };

/** A table that keeps no events, so that no subscriber gets events of the past. */
function withoutEvents(table: TableWriter): TableWriter {
  return {
    ...table,
    put: (key, data, options) => (key.partition[0] === events ? nothing : table.put(key, data, options)),
    commit: (actions) => table.commit(actions.filter(({ request }) => request !== nothing.request)),
  };
}

/** A table that reads each record of the organization itself once. */
function remembering(table: TableWriter): TableWriter {
  const known = new Map<string, Promise<unknown>>();
  const once = <Result>(name: unknown, read: () => Promise<Result>) => {
    const reading = known.get(JSON.stringify(name)) ?? read();
    known.set(JSON.stringify(name), reading);
    return reading as Promise<Result>;
  };
  return {
    ...table,
    read: (key) => (key.partition.length === 0 ? once(key, () => table.read(key)) : table.read(key)),
    list: (range, options) =>
      range.partition.length === 0
        ? once([range, options], () => table.list(range, options))
        : table.list(range, options),
  };
}
