import type { Assembly, Resource, Stack } from './assembly.ts';

export const region = 'us-east-1';
export const account = '000000000000';

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** `Ref` of a resource when `name` is undefined, otherwise `Fn::GetAtt` of that attribute. */
export type AttributeOf = (resource: Resource, name: string | undefined) => unknown;

/** Evaluates the intrinsic functions of CloudFormation in the templates of one assembly. */
export class Intrinsics {
  readonly #stacks: readonly Stack[];
  readonly #exports = new Map<string, { stack: Stack; value: unknown }>();
  /** The nested stacks, by their resources in the parents. */
  readonly #nested = new Map<Resource, Stack>();
  readonly #attributeOf: AttributeOf;

  constructor(assembly: Assembly, attributeOf: AttributeOf) {
    this.#attributeOf = attributeOf;
    this.#stacks = assembly.stacks;
    for (const stack of assembly.stacks) {
      if (stack.nestedIn) {
        this.#nested.set(stack.nestedIn, stack);
      }
      for (const { Value: value, Export } of Object.values(stack.template.Outputs)) {
        if (Export) {
          this.#exports.set(Export.Name, { stack, value });
        }
      }
    }
  }

  /** The value with every intrinsic function replaced by its result. @throws for an unknown function. */
  resolve(stack: Stack, value: unknown): unknown {
    if (Array.isArray(value)) {
      return value.map((item) => this.resolve(stack, item));
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const entries = Object.entries(value);
    const [[name, argument] = ['', undefined]] = entries;
    if (name === 'Ref' || name.startsWith('Fn::')) {
      return this.#call(stack, name, argument);
    }
    return Object.fromEntries(entries.map(([key, inner]) => [key, this.resolve(stack, inner)]));
  }

  #call(stack: Stack, name: string, argument: unknown): unknown {
    switch (name) {
      case 'Ref':
        return this.#ref(stack, String(argument));
      case 'Fn::GetAtt': {
        const [logicalId, attribute] = argument as [string, string];
        const resource = this.#resource(stack, logicalId);
        const nested = this.#nested.get(resource);
        return nested
          ? this.#output(nested, attribute.replace(/^Outputs\./, ''))
          : this.#attributeOf(resource, attribute);
      }
      case 'Fn::ImportValue':
        return this.#importValue(String(argument));
      case 'Fn::GetStackOutput': {
        const { StackName, OutputName } = argument as { StackName: string; OutputName: string };
        return this.#output(this.#stackNamed(StackName), OutputName);
      }
      case 'Fn::Join': {
        const [separator, parts] = argument as [string, unknown[]];
        return parts.map((part) => this.resolve(stack, part)).join(separator);
      }
      case 'Fn::Sub':
        return String(argument).replace(/\$\{([^}]+)\}/g, (_, inner: string) =>
          String(this.#ref(stack, inner)),
        );
      default:
        throw new Error(`Stack ${stack.name} uses ${name}, which the local host cannot evaluate.`);
    }
  }

  /** A name is a parameter that the parent of a nested stack sets, a pseudo parameter, or a resource. */
  #ref(stack: Stack, name: string): unknown {
    const { Parameters = {} } = (stack.nestedIn?.properties ?? {}) as {
      Parameters?: Record<string, unknown>;
    };
    if (stack.nestedIn && Object.hasOwn(Parameters, name)) {
      return this.resolve(stack.nestedIn.stack, Parameters[name]);
    }
    return pseudoParameters[name] ?? this.#attributeOf(this.#resource(stack, name), undefined);
  }

  #output(stack: Stack, name: string): unknown {
    const output = stack.template.Outputs[name];
    if (!output) {
      throw new Error(`Stack ${stack.name} has no output ${name}.`);
    }
    return this.resolve(stack, output.Value);
  }

  #stackNamed(name: string): Stack {
    const stack = this.#stacks.find(({ deployedAs }) => deployedAs === name);
    if (!stack) {
      throw new Error(`The assembly has no stack ${name}, which Fn::GetStackOutput asks for.`);
    }
    return stack;
  }

  #importValue(name: string): unknown {
    const exported = this.#exports.get(name);
    if (!exported) {
      throw new Error(`No stack exports ${name}, which Fn::ImportValue asks for.`);
    }
    return this.resolve(exported.stack, exported.value);
  }

  #resource(stack: Stack, logicalId: string): Resource {
    const resource = stack.resources.get(logicalId);
    if (resource) {
      return resource;
    }
    throw new Error(`Stack ${stack.name} refers to ${logicalId}, which its template does not have.`);
  }
}
