import { encodeTime } from 'ulid';
import * as z from 'zod/mini';
import { eventKey } from '../../shared/events/outbox.ts';
import { argon2Passwords } from '../../shared/kernel/auth/passwords.ts';
import { createSigningSecret, signingKeys } from '../../shared/kernel/auth/signing-secret.ts';
import { tokenSigner } from '../../shared/kernel/auth/tokens.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { SecretSealer } from '../../shared/kernel/secrets/sealed-secrets.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import type { Action, TableWriter } from '../../shared/table/table.ts';
import type { LoadedTable } from './connection.ts';

/** A request in the past. */
export interface PastRequest {
  readonly at: Date;
  /** A user of the demo data; undefined for operations that anyone may call. */
  readonly by?: string | undefined;
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** An access token, for an operation that reads it itself. */
  readonly token?: string | undefined;
  /** The table to use in place of the organization's own, for a step of a run. */
  readonly table?: TableWriter;
  readonly newId?: () => string;
  /** The first ids that the operation creates; null for any id. */
  readonly ids?: readonly (string | null)[] | undefined;
}

/** Runs operations as demo users, at times in the past. */
export interface Past {
  /** The time that ages count from. */
  readonly now: Date;
  /** The table of an organization, for records that no operation writes. */
  table(organizationId: string): TableWriter;
  /** The table of records that belong to no organization. */
  readonly platform: TableWriter<'platform'>;
  /** A new id for a record of this moment; the same one in every replay. */
  newId(moment: Date): string;
  /** @throws what the operation throws. */
  run<Result>(operation: Operation, request: PastRequest): Promise<Result>;
}

/** The source address of requests of the past, reserved for documentation. Source: RFC 5737. */
const demoAddress = '192.0.2.1';

/** Leaves secrets as they are: those of the demo are public, and the host that seals them with its own key has not started. */
const unsealed: SecretSealer = {
  open: async (stored) => String(stored),
  seal: async (text) => text,
};

/** `roles` are those of the users. */
export async function openPast(
  loaded: LoadedTable,
  now: Date,
  roles: ReadonlyMap<string, Role>,
): Promise<Past> {
  const secret = await createSigningSecret(1, now);
  const tokens = tokenSigner(signingKeys({ read: async () => secret }));
  const passwords = argon2Passwords();
  const table = (organizationId: string) => withoutEvents(loaded.organization(organizationId));

  let made = 0;
  const newId = (moment: Date) => {
    made += 1;
    return encodeTime(moment.getTime(), 10) + encodeTime(made, 16);
  };
  return {
    now,
    table,
    platform: loaded.platform,
    newId,
    async run<Result>(operation: Operation, request: PastRequest) {
      const { at, by, path = {}, body, headers, token, ids = [] } = request;
      const left = [...ids];
      const organizationId = by === demo.superadmin ? demo.platform : demo.organization;
      const role = by === undefined ? undefined : (roles.get(by) ?? 'SUPERADMIN');
      const asked = {
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
          skippedFields: [],
          // A different id for each request.
          requestId: `${at.toISOString()} ${operation.route} ${JSON.stringify(body)}`,
          receivedAt: at,
        },
        sourceIp: demoAddress,
      };
      return (await operation.run(asked, {
        ...loaded,
        secrets: unsealed,
        outgoingPosts: { check: async () => undefined },
        identity: { ...loaded.identity, commit: committing(loaded.identity) },
        organizations: table,
        table: request.table ?? table(organizationId),
        tokens,
        passwords,
        trialPolicy: trialPolicies.open,
        mail: { isConfigured: true },
        caller: role && { userId: by, role, organizationId, homeOrganizationId: organizationId },
        now: at,
        deadline: noDeadline,
        newId: request.newId ?? (() => left.shift() ?? newId(at)),
        random: Math.random,
      })) as Result;
    },
  };
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
