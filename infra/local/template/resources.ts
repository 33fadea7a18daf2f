import { createHash } from 'node:crypto';
import type { Assembly, Resource } from './assembly.ts';
import type { CustomResourceRecord } from './custom-resources.ts';
import { account, Intrinsics, region } from './intrinsics.ts';

/** The results of `Ref` and `Fn::GetAtt` for a resource type, made from the resource's physical name. */
interface Kind {
  /** The property with the physical name, if the template sets one. */
  nameProperty?: string;
  /** Whether its name on this host is the tag `Name`, because the name that AWS would generate means nothing to people. */
  isNamedByTag?: boolean;
  ref?: (name: string) => string;
  attributes?: Record<string, (name: string) => string>;
}

const arn = (service: string, rest: string) => `arn:aws:${service}:${region}:${account}:${rest}`;

/** The resource types that this host runs and that other resources refer to. */
const kinds: Record<string, Kind> = {
  'AWS::DynamoDB::Table': {
    attributes: {
      Arn: (name) => arn('dynamodb', `table/${name}`),
      StreamArn: (name) => arn('dynamodb', `table/${name}/stream/local`),
    },
  },
  'AWS::S3::Bucket': { attributes: { Arn: (name) => `arn:aws:s3:::${name}` } },
  'AWS::SecretsManager::Secret': { ref: (name) => arn('secretsmanager', `secret:${name}-local0`) },
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    ref: (name) => `https://sqs.${region}.amazonaws.com/${account}/${name}`,
    attributes: { Arn: (name) => arn('sqs', name) },
  },
  'AWS::Lambda::Function': {
    nameProperty: 'FunctionName',
    isNamedByTag: true,
    attributes: { Arn: (name) => arn('lambda', `function:${name}`) },
  },
  'AWS::Events::Rule': { attributes: { Arn: (name) => arn('events', `rule/${name}`) } },
  'AWS::ApiGatewayV2::Api': { ref: apiId },
};

/** The resource types that this host runs and that others refer to only by name. */
const withEffect =
  /^AWS::(CloudFormation::Stack|Lambda::EventSourceMapping|ApiGatewayV2::(Stage|Route|Integration|RouteResponse))$/;

/** The resource types without an effect that a caller of the product could notice on this machine. */
const withoutEffect =
  /^AWS::((IAM|Logs|CloudWatch|SNS|CDK)::\w+|Lambda::(Permission|EventInvokeConfig)|S3::BucketPolicy|SQS::QueuePolicy|ApiGateway::Account)$/;

/** The resources of an assembly, with their references resolved for this machine. */
export class Resources {
  readonly #assembly: Assembly;
  readonly #intrinsics: Intrinsics;
  /** The responses of the functions behind custom resources, by stack and logical id. */
  readonly #responses = new Map<string, Pick<CustomResourceRecord, 'physicalId' | 'data'>>();

  /** @throws when a resource has a condition, or a type that has an effect at run time and that this host cannot run. */
  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#intrinsics = new Intrinsics(assembly, (resource, name) => this.#attribute(resource, name));
    const foreign = this.#where(({ type, condition }) => !isRun(type) || condition !== undefined);
    if (foreign.length > 0) {
      const list = foreign.map(
        ({ stack, logicalId, type, condition }) =>
          `${stack.name}/${logicalId} (${type}${condition === undefined ? '' : ', on a condition'})`,
      );
      throw new Error(`The local host cannot run these resources: ${list.join(', ')}.`);
    }
  }

  /** The path of each asset, by its hash: a folder with the unpacked content, or a file. */
  get assets(): ReadonlyMap<string, string> {
    return this.#assembly.assets;
  }

  ofType(wanted: string): Resource[] {
    return this.#where(({ type }) => type === wanted);
  }

  customResources(): Resource[] {
    return this.#where(({ type }) => isCustom(type));
  }

  /** The resource's properties with every intrinsic function evaluated. */
  properties(resource: Resource): unknown {
    return this.#intrinsics.resolve(resource.stack, resource.properties);
  }

  /** The result of `Ref` for the resource. */
  ref(resource: Resource): string {
    return String(this.#attribute(resource, undefined));
  }

  /** The result of `Fn::GetAtt` for the resource. */
  attribute(resource: Resource, name: string): string {
    return String(this.#attribute(resource, name));
  }

  physicalName({ stack, logicalId, type, properties }: Resource): string {
    const { nameProperty = '', isNamedByTag } = kinds[type] ?? {};
    const chosen = this.#intrinsics.resolve(stack, properties[nameProperty]);
    const tagged = isNamedByTag ? nameTag(properties.Tags) : undefined;
    const name = String(chosen ?? tagged ?? `${stack.name}-${logicalId}`);
    return type === 'AWS::S3::Bucket' ? name.toLowerCase() : name;
  }

  /** Makes the response of a custom resource's function known to everything that refers to the resource. */
  responded(resource: Resource, response: Pick<CustomResourceRecord, 'physicalId' | 'data'>): void {
    this.#responses.set(`${resource.stack.name}/${resource.logicalId}`, response);
  }

  #where(matches: (resource: Resource) => boolean): Resource[] {
    return this.#assembly.stacks.flatMap(({ resources }) => [...resources.values()]).filter(matches);
  }

  #attribute(resource: Resource, attribute: string | undefined): unknown {
    if (isCustom(resource.type)) {
      return this.#customAttribute(resource, attribute);
    }
    const name = this.physicalName(resource);
    const kind = kinds[resource.type];
    if (attribute === undefined) {
      return kind?.ref?.(name) ?? name;
    }
    const known = kind?.attributes?.[attribute];
    if (known) {
      return known(name);
    }
    // Others may refer to a resource without an effect, for example to a role by its ARN.
    if (!kind && attribute === 'Arn') {
      return arn(resource.type.split('::')[1]?.toLowerCase() ?? '', name);
    }
    throw new Error(
      `The local host does not know the attribute ${attribute} of ${resource.stack.name}/${resource.logicalId} (${resource.type}).`,
    );
  }

  #customAttribute(resource: Resource, attribute: string | undefined): unknown {
    const response = this.#responses.get(`${resource.stack.name}/${resource.logicalId}`);
    if (!response) {
      throw new Error(
        `The custom resource ${resource.stack.name}/${resource.logicalId} has no response yet: the local host does not support custom resources that depend on each other.`,
      );
    }
    if (attribute === undefined) {
      return response.physicalId;
    }
    if (Object.hasOwn(response.data, attribute)) {
      return response.data[attribute];
    }
    throw new Error(
      `The function behind ${resource.logicalId} responded without the attribute ${attribute}.`,
    );
  }
}

function isRun(type: string): boolean {
  return isCustom(type) || type in kinds || withEffect.test(type) || withoutEffect.test(type);
}

function nameTag(tags: unknown): unknown {
  const list = (tags ?? []) as readonly { readonly Key?: unknown; readonly Value?: unknown }[];
  return list.find(({ Key }) => Key === 'Name')?.Value;
}

function isCustom(type: string): boolean {
  return type.startsWith('Custom::');
}

/** An id of ten characters that is the same at every start, because clients keep addresses that contain it. */
function apiId(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 10);
}
