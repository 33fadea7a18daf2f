import * as z from 'zod/mini';
import { eventKey } from '../../../shared/events/outbox.ts';
import { argon2Passwords } from '../../../shared/kernel/auth/passwords.ts';
import { newSigningSecret, signingKeys } from '../../../shared/kernel/auth/signing-secret.ts';
import { tokenSigner } from '../../../shared/kernel/auth/tokens.ts';
import { noDeadline } from '../../../shared/kernel/deadline.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import type { Operation } from '../../../shared/kernel/operation.ts';
import type { SecretSealer } from '../../../shared/kernel/secrets/sealed-secrets.ts';
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
  /** The table to use in place of the organization's own, for a step of a run. */
  readonly table?: TableWriter;
  readonly newId?: () => string;
  /** That of a developer's machine if absent. */
  readonly policy?: NewcomerPolicy;
  /** The first ids that the operation creates; undefined for any id. */
  readonly ids?: readonly (string | undefined)[] | undefined;
}

/** The source address of requests of the past, reserved for documentation. Source: RFC 5737. */
const demoAddress = '192.0.2.1';

/** The response of most operations that create something. */
export interface Made {
  readonly data: { readonly _id: string };
}

/** Runs operations as demo users, at times in the past. */
export interface Past {
  /** The time that ages count from. */
  readonly now: Date;
  readonly random: Randomness;
  /** The table of an organization, for records that no operation writes. */
  table(organizationId: string): TableWriter;
  /** The table of records that belong to no organization. */
  readonly platform: TableWriter<'platform'>;
  /** The same past once users, phone numbers and pipelines no longer change: these are read only once. */
  settled(): Past;
  /** The same past with a seeded randomness of its own, for work that runs beside other work. */
  beside(seed: number): Past;
  /** @throws what the operation throws. */
  run<Result = Made>(operation: Operation, request: PastRequest): Promise<Result>;
}

/** Leaves secrets as they are: those of the demo are public, and the host that seals them with its own key has not started. */
const unsealed: SecretSealer = {
  open: async (stored) => String(stored),
  seal: async (text) => text,
};

export async function openPast(loaded: LoadedTable, now: Date): Promise<Past> {
  const secret = await newSigningSecret(1, now);
  const tokens = tokenSigner(signingKeys({ read: async () => secret }));
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
          // A different id for each request.
          requestId: `${at.toISOString()} ${operation.route} ${JSON.stringify(body)}`,
          receivedAt: at,
        },
        sourceIp: demoAddress,
      };
      const organizationId = by === demo.superadmin ? demo.platform : demo.organization;
      return (await operation.run(request, {
        ...loaded,
        secrets: unsealed,
        identity: { ...loaded.identity, commit: committing(loaded.identity) },
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

/** A table that stores no events, so that no subscriber gets events of the past. */
function withoutEvents(table: TableWriter): TableWriter {
  return {
    ...table,
    put: (key, data, options) => (key.partition[0] === events ? nothing : table.put(key, data, options)),
    commit: committing(table),
  };
}

/** Commits without the events: a transaction may begin in any table. */
function committing(table: Pick<TableWriter, 'commit'>): TableWriter['commit'] {
  return (actions) => table.commit(actions.filter(({ request }) => request !== nothing.request));
}

/** A table that reads each of the organization's own records once. */
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
