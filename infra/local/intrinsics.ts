import type { Assembly, Resource, Stack } from './assembly.ts';

export const region = 'us-east-1';
export const account = '000000000000';

/** `Ref` of a resource when `name` is undefined, otherwise `Fn::GetAtt` of that attribute. */
export type AttributeOf = (resource: Resource, name: string | undefined) => unknown;

/** Stands for `AWS::NoValue`: the property that has it is left out. */
const noValue = Symbol('AWS::NoValue');

/** Evaluates the intrinsic functions of CloudFormation in the templates of one assembly. */
export class Intrinsics {
  readonly #exports = new Map<string, { stack: Stack; value: unknown }>();
  readonly #attributeOf: AttributeOf;

  constructor(assembly: Assembly, attributeOf: AttributeOf) {
    this.#attributeOf = attributeOf;
    for (const stack of assembly.stacks) {
      for (const { Value: value, Export } of Object.values(stack.template.Outputs)) {
        if (Export) {
          this.#exports.set(String(this.resolve(stack, Export.Name)), { stack, value });
        }
      }
    }
  }

  /** The value with every intrinsic function replaced by what it stands for. Throws for one that is not known. */
  resolve(stack: Stack, value: unknown): unknown {
    const resolved = this.#resolve(stack, value);
    return resolved === noValue ? undefined : resolved;
  }

  /** Whether the template's condition of that name holds. */
  holds(stack: Stack, condition: string): boolean {
    return this.#resolve(stack, stack.template.Conditions[condition]) === true;
  }

  #resolve(stack: Stack, value: unknown): unknown {
    if (Array.isArray(value)) {
      return value.map((item) => this.#resolve(stack, item)).filter((item) => item !== noValue);
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const entries = Object.entries(value);
    const [first] = entries;
    if (first && entries.length === 1 && isFunctionName(first[0])) {
      return this.#call(stack, ...first);
    }
    return Object.fromEntries(
      entries
        .map(([key, inner]) => [key, this.#resolve(stack, inner)] as const)
        .filter(([, inner]) => inner !== noValue),
    );
  }

  #call(stack: Stack, name: string, argument: unknown): unknown {
    if (name === 'Ref') {
      return this.#ref(stack, String(argument));
    }
    if (name === 'Condition') {
      return this.holds(stack, String(argument));
    }
    if (name === 'Fn::GetAtt') {
      return this.#getAtt(stack, argument);
    }
    if (name === 'Fn::If') {
      const [condition, yes, no] = argument as [string, unknown, unknown];
      return this.#resolve(stack, this.holds(stack, condition) ? yes : no);
    }
    if (name === 'Fn::Sub') {
      return this.#sub(stack, argument);
    }
    const resolved = this.#resolve(stack, argument);
    if (name === 'Fn::ImportValue') {
      return this.#importValue(String(resolved));
    }
    const list = Array.isArray(resolved) ? resolved : [];
    switch (name) {
      case 'Fn::Join':
        return (list[1] as unknown[]).join(String(list[0]));
      case 'Fn::Split':
        return String(list[1]).split(String(list[0]));
      case 'Fn::Select':
        return (list[1] as unknown[])[Number(list[0])];
      case 'Fn::FindInMap':
        return stack.template.Mappings[String(list[0])]?.[String(list[1])]?.[String(list[2])];
      case 'Fn::Equals':
        return list[0] === list[1];
      case 'Fn::And':
        return list.every((item) => item === true);
      case 'Fn::Or':
        return list.some((item) => item === true);
      case 'Fn::Not':
        return list[0] !== true;
      default:
        throw new Error(`Stack ${stack.name} uses ${name}, which the local host cannot evaluate.`);
    }
  }

  #ref(stack: Stack, name: string): unknown {
    const pseudo = pseudoParameter(stack, name);
    if (pseudo !== undefined) {
      return pseudo;
    }
    const parameter = stack.template.Parameters[name];
    if (parameter) {
      return this.#parameter(stack, name) ?? parameter.Default;
    }
    return this.#attributeOf(this.#resource(stack, name), undefined);
  }

  #getAtt(stack: Stack, argument: unknown): unknown {
    const [logicalId = '', ...rest] = Array.isArray(argument) ? argument : String(argument).split('.');
    const resource = this.#resource(stack, String(logicalId));
    const attribute = rest.join('.');
    if (!resource.nested) {
      return this.#attributeOf(resource, attribute);
    }
    const output = resource.nested.template.Outputs[attribute.replace(/^Outputs\./, '')];
    if (output) {
      return this.#resolve(resource.nested, output.Value);
    }
    throw new Error(`The nested stack ${resource.nested.name} has no output ${attribute}.`);
  }

  /** What the parent of a nested stack gives for a parameter. */
  #parameter({ nestedIn }: Stack, name: string): unknown {
    if (!nestedIn) {
      return undefined;
    }
    const { Parameters = {} } = nestedIn.properties as { Parameters?: Record<string, unknown> };
    return Object.hasOwn(Parameters, name) ? this.#resolve(nestedIn.stack, Parameters[name]) : undefined;
  }

  #sub(stack: Stack, argument: unknown): string {
    const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
    return String(text).replace(/\$\{([^}]+)\}/g, (_, name: string) => {
      if (name.startsWith('!')) {
        return `\${${name.slice(1)}}`;
      }
      if (Object.hasOwn(variables, name)) {
        return String(this.#resolve(stack, variables[name]));
      }
      return String(name.includes('.') ? this.#getAtt(stack, name) : this.#ref(stack, name));
    });
  }

  #importValue(name: string): unknown {
    const exported = this.#exports.get(name);
    if (!exported) {
      throw new Error(`No stack exports ${name}, which Fn::ImportValue asks for.`);
    }
    return this.#resolve(exported.stack, exported.value);
  }

  #resource(stack: Stack, logicalId: string): Resource {
    const resource = stack.resources.get(logicalId);
    if (resource) {
      return resource;
    }
    throw new Error(`Stack ${stack.name} refers to ${logicalId}, which its template does not have.`);
  }
}

function isFunctionName(key: string): boolean {
  return key === 'Ref' || key === 'Condition' || key.startsWith('Fn::');
}

function pseudoParameter(stack: Stack, name: string): unknown {
  switch (name) {
    case 'AWS::Region':
      return region;
    case 'AWS::AccountId':
      return account;
    case 'AWS::Partition':
      return 'aws';
    case 'AWS::URLSuffix':
      return 'amazonaws.com';
    case 'AWS::StackName':
      return stack.name;
    case 'AWS::StackId':
      return `arn:aws:cloudformation:${region}:${account}:stack/${stack.name}/local`;
    case 'AWS::NotificationARNs':
      return [];
    case 'AWS::NoValue':
      return noValue;
    default:
      return undefined;
  }
}
