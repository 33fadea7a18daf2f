import type { Uses } from '../shared/kernel/operation.ts';
import type { PortName, PortTypes } from '../shared/kernel/ports.ts';
import { lookUpIndex } from '../shared/table/key.ts';

/** What the ports of a deployed function stand on. The strings may be references that only the deployment resolves. */
export interface Surroundings {
  readonly tableName: string;
  readonly tableArn: string;
  readonly signingSecretArn: string;
  /** JWKS with the public halves of the signing keys, as JSON; known once the deployment step has made them. */
  publicKeys(): string;
  /** `https://…`: where frames for open connections are posted. */
  readonly socketEndpoint: string;
  /** The open connections of the WebSocket API's stage, for the given method. */
  socketConnectionsArn(method: 'POST' | 'DELETE'): string;
}

/** An IAM statement that allows; written by hand, because the library's grants give more than an operation needs. */
export interface Grant {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Record<string, Record<string, readonly string[] | string>>;
  /** Why a resource has a wildcard, if one has. */
  readonly wildcard?: string;
}

interface Port {
  /** Module under the project's root, and its function that makes the port's provider. */
  readonly provider: readonly [module: string, name: string];
  readonly environment?: (surroundings: Surroundings) => Record<string, string>;
  readonly grants?: (surroundings: Surroundings) => Grant[];
  /** Megabytes, when the port needs more than other functions. A full CPU comes with 1,769. */
  readonly memory?: number;
}

/** Every port and grade: its provider, its environment, its permissions. The only place that knows. */
const ports: { readonly [P in PortName]: Readonly<Record<keyof PortTypes[P], Port>> } = {
  table: tablePort('provideTable', 'ORG#*'),
  organizations: tablePort('provideOrganizations', 'ORG#*'),
  identity: tablePort('provideIdentity', 'IDENTITY#*'),
  tokens: {
    verify: {
      provider: ['shared/ports/tokens.ts', 'provideTokenVerifier'],
      environment: ({ publicKeys }) => ({ JWT_PUBLIC_KEYS: publicKeys() }),
    },
    sign: {
      provider: ['shared/ports/tokens.ts', 'provideTokenSigner'],
      environment: ({ signingSecretArn }) => ({ SIGNING_SECRET_ARN: signingSecretArn }),
      grants: ({ signingSecretArn }) => [
        { actions: ['secretsmanager:GetSecretValue'], resources: [signingSecretArn] },
      ],
    },
  },
  passwords: {
    // A hash is pure computing: a full CPU halves its time and costs the same.
    hash: { provider: ['shared/ports/passwords.ts', 'providePasswords'], memory: 1769 },
  },
  signingSecret: {
    rotate: {
      provider: ['shared/ports/signing-secret.ts', 'provideSigningSecret'],
      environment: ({ signingSecretArn }) => ({ SIGNING_SECRET_ARN: signingSecretArn }),
      grants: ({ signingSecretArn }) => [
        {
          actions: ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
          resources: [signingSecretArn],
        },
      ],
    },
  },
  sockets: {
    post: {
      provider: ['shared/ports/sockets.ts', 'provideSockets'],
      environment: ({ socketEndpoint }) => ({ SOCKET_ENDPOINT: socketEndpoint }),
      grants: ({ socketConnectionsArn }) => [
        {
          actions: ['execute-api:ManageConnections'],
          resources: [socketConnectionsArn('POST'), socketConnectionsArn('DELETE')],
          wildcard: 'Connections get their ids when clients connect; all of them are of this API and stage.',
        },
      ],
    },
  },
  asset: {
    openapi: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    documentation: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
  },
};

/** A port on the table, bound to the partitions that start with `space`. */
function tablePort(provide: string, space: string): Record<'read' | 'write', Port> {
  const port = {
    environment: ({ tableName }: Surroundings) => ({ TABLE_NAME: tableName }),
  } as const;
  const grants = ({ tableArn }: Surroundings): Grant[] => [
    {
      actions: ['dynamodb:Query'],
      resources: [tableArn, `${tableArn}/index/${lookUpIndex.name}`],
      ...boundTo(space),
    },
    { actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'], resources: [tableArn], ...boundTo(space) },
  ];
  const writes = ({ tableArn }: Surroundings): Grant => ({
    actions: [
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
      'dynamodb:ConditionCheckItem',
    ],
    resources: [tableArn],
    ...boundTo(space),
  });
  return {
    read: { ...port, provider: ['shared/ports/table.ts', `${provide}Reader`], grants },
    write: {
      ...port,
      provider: ['shared/ports/table.ts', provide],
      grants: (surroundings) => [...grants(surroundings), writes(surroundings)],
    },
  };
}

/** `ForAllValues` also holds for a request without the key: `Null` refuses that one. */
function boundTo(space: string): Pick<Required<Grant>, 'conditions'> {
  return {
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [space] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  };
}

export interface UsedPort extends Port {
  readonly name: PortName;
  readonly grade: string;
}

/** The ports an operation declares. */
export function portsOf(uses: Uses): UsedPort[] {
  return Object.entries(uses).map(([name, grade]) => {
    const port = (ports[name as PortName] as Readonly<Record<string, Port>> | undefined)?.[grade];
    if (port === undefined) {
      throw new Error(`There is no port "${name}" with the grade "${grade}".`);
    }
    return { name: name as PortName, grade, ...port };
  });
}
