import { createHash } from 'node:crypto';
import type { Assembly, Resource } from './assembly.ts';
import type { CustomResourceRecord } from './custom-resources.ts';
import { account, Intrinsics, region } from './intrinsics.ts';

/** What a resource type answers to `Ref` and `Fn::GetAtt`, made from the resource's physical name. */
interface Kind {
  /** The property that holds the physical name, when the template chooses one. */
  nameProperty?: string;
  ref?: (name: string) => string;
  attributes?: Record<string, (name: string, resource: Resource) => string>;
}

const arn = (service: string, rest: string) => `arn:aws:${service}:${region}:${account}:${rest}`;
const functionArn = (name: string) => arn('lambda', `function:${name}`);
const secretArn = (name: string) => arn('secretsmanager', `secret:${name}-local0`);

const table: Kind = {
  nameProperty: 'TableName',
  attributes: {
    Arn: (name) => arn('dynamodb', `table/${name}`),
    StreamArn: (name) => arn('dynamodb', `table/${name}/stream/local`),
  },
};

/** The resource types that this host runs. `Custom::*` and API Gateway's are beside this table. */
const kinds: Record<string, Kind> = {
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::S3::Bucket': {
    nameProperty: 'BucketName',
    attributes: {
      Arn: (name) => `arn:aws:s3:::${name}`,
      DomainName: (name) => `${name}.s3.amazonaws.com`,
      RegionalDomainName: (name) => `${name}.s3.${region}.amazonaws.com`,
    },
  },
  'AWS::SecretsManager::Secret': { nameProperty: 'Name', ref: secretArn, attributes: { Id: secretArn } },
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    ref: (name) => `https://sqs.${region}.amazonaws.com/${account}/${name}`,
    attributes: {
      Arn: (name) => arn('sqs', name),
      QueueName: (name) => name,
      QueueUrl: (name) => `https://sqs.${region}.amazonaws.com/${account}/${name}`,
    },
  },
  'AWS::Lambda::Function': { nameProperty: 'FunctionName', attributes: { Arn: functionArn } },
  'AWS::Lambda::EventSourceMapping': {},
  'AWS::Events::Rule': { nameProperty: 'Name', attributes: { Arn: (name) => arn('events', `rule/${name}`) } },
  'AWS::ApiGatewayV2::Api': {
    ref: apiId,
    attributes: {
      ApiId: apiId,
      ApiEndpoint: (name, { properties }) =>
        `${properties.ProtocolType === 'WEBSOCKET' ? 'wss' : 'https'}://${apiId(name)}.execute-api.${region}.amazonaws.com`,
    },
  },
  'AWS::ApiGatewayV2::Stage': { nameProperty: 'StageName' },
};

/** Types whose resources change nothing that a caller of the product could see on this machine. */
const withoutEffect = [
  /^AWS::(IAM|Logs|CloudWatch|KMS|SNS|SSM|CDK|XRay|WAFv2|Route53|CertificateManager|ApplicationInsights)::/,
  /^AWS::(Budgets|CloudTrail|ResourceGroups|Oam|Synthetics|Backup|CodeDeploy|ApplicationAutoScaling)::/,
  /^AWS::Lambda::(Permission|EventInvokeConfig|CodeSigningConfig)$/,
  /^AWS::(S3::BucketPolicy|SQS::QueuePolicy|SecretsManager::ResourcePolicy)$/,
  /^AWS::(ApiGateway::Account|ApiGatewayV2::Deployment|ApiGatewayV2::DomainName|ApiGatewayV2::ApiMapping)$/,
];

const withEffect = [
  /^AWS::CloudFormation::Stack$/,
  /^AWS::ApiGatewayV2::(Api|Stage|Route|Integration|Authorizer|RouteResponse|IntegrationResponse)$/,
  /^AWS::Lambda::(Version|Alias)$/,
];

/** The resources of an assembly with their references resolved to what they are on this machine. */
export class Resources {
  readonly #assembly: Assembly;
  readonly #intrinsics: Intrinsics;
  /** What the functions behind custom resources answered, by stack and logical id. */
  readonly #answers = new Map<string, Pick<CustomResourceRecord, 'physicalId' | 'data'>>();

  /** Throws when a resource has a type that matters at run time and that this host cannot run. */
  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#intrinsics = new Intrinsics(assembly, (resource, name) => this.#attribute(resource, name));
    const foreign = assembly.stacks
      .flatMap(({ resources }) => [...resources.values()])
      .filter(({ type }) => !isCustom(type) && !(type in kinds))
      .filter(({ type }) => ![...withoutEffect, ...withEffect].some((pattern) => pattern.test(type)));
    if (foreign.length > 0) {
      const list = foreign.map(({ stack, logicalId, type }) => `${stack.name}/${logicalId} (${type})`);
      throw new Error(`The local host cannot run these resources: ${list.join(', ')}.`);
    }
  }

  /** The resources of one of these types, without those whose condition does not hold. */
  ofType(...types: string[]): Resource[] {
    return this.#where(({ type }) => types.includes(type));
  }

  customResources(): Resource[] {
    return this.#where(({ type }) => isCustom(type));
  }

  /** The resource's properties with every intrinsic function evaluated. */
  properties(resource: Resource): unknown {
    return this.#intrinsics.resolve(resource.stack, resource.properties);
  }

  /** What `Ref` gives for the resource. */
  ref(resource: Resource): string {
    return String(this.#attribute(resource, undefined));
  }

  /** What `Fn::GetAtt` gives for the resource. */
  attribute(resource: Resource, name: string): string {
    return String(this.#attribute(resource, name));
  }

  physicalName(resource: Resource): string {
    const { nameProperty } = kinds[resource.type] ?? {};
    const chosen =
      nameProperty && this.#intrinsics.resolve(resource.stack, resource.properties[nameProperty]);
    if (chosen) {
      return String(chosen);
    }
    const name = `${resource.stack.name}-${resource.logicalId}`;
    return resource.type === 'AWS::S3::Bucket' ? name.toLowerCase() : name;
  }

  /** Makes the answer of a custom resource's function known to everything that refers to the resource. */
  answered(resource: Resource, answer: Pick<CustomResourceRecord, 'physicalId' | 'data'>): void {
    this.#answers.set(`${resource.stack.name}/${resource.logicalId}`, answer);
  }

  #where(matches: (resource: Resource) => boolean): Resource[] {
    return this.#assembly.stacks
      .flatMap(({ resources }) => [...resources.values()])
      .filter(matches)
      .filter(({ stack, condition }) => condition === undefined || this.#intrinsics.holds(stack, condition));
  }

  #attribute(resource: Resource, attribute: string | undefined): unknown {
    if (isCustom(resource.type)) {
      return this.#customAttribute(resource, attribute);
    }
    if (resource.type === 'AWS::Lambda::Version' || resource.type === 'AWS::Lambda::Alias') {
      return qualifiedArn(this.properties(resource));
    }
    const name = this.physicalName(resource);
    const kind = kinds[resource.type];
    if (attribute === undefined) {
      return kind?.ref?.(name) ?? name;
    }
    const known = kind?.attributes?.[attribute];
    if (known) {
      return known(name, resource);
    }
    // A resource without effect may still be mentioned, for example a role by its ARN.
    if (!kind && attribute === 'Arn') {
      return arn(resource.type.split('::')[1]?.toLowerCase() ?? '', name);
    }
    throw new Error(
      `The local host does not know the attribute ${attribute} of ${resource.stack.name}/${resource.logicalId} (${resource.type}).`,
    );
  }

  #customAttribute(resource: Resource, attribute: string | undefined): unknown {
    const answer = this.#answers.get(`${resource.stack.name}/${resource.logicalId}`);
    if (!answer) {
      throw new NotYetAnswered(resource);
    }
    if (attribute === undefined) {
      return answer.physicalId;
    }
    if (Object.hasOwn(answer.data, attribute)) {
      return answer.data[attribute];
    }
    throw new Error(`The function behind ${resource.logicalId} answered without the attribute ${attribute}.`);
  }
}

/** Something refers to a custom resource whose function has not been asked yet. */
export class NotYetAnswered extends Error {
  constructor(resource: Resource) {
    super(`The custom resource ${resource.stack.name}/${resource.logicalId} has no answer yet.`);
  }
}

function isCustom(type: string): boolean {
  return type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource';
}

/** Ten characters that are the same at every start, as an address that clients keep should be. */
function apiId(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 10);
}

function qualifiedArn(properties: unknown): string {
  const { FunctionName, Name = '1' } = properties as { FunctionName: string; Name?: string };
  return `${FunctionName.includes(':') ? FunctionName : functionArn(FunctionName)}:${Name}`;
}
