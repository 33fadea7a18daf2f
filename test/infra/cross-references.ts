import type { Json } from '../harness/json.ts';
import type { Template } from './synthesized.ts';

/** A stack that is deployed by itself. */
export interface Deployed {
  readonly name: string;
  readonly template: Template;
  /** The names of those that are deployed before it. */
  readonly after: readonly string[];
}

/** Errors between stacks: values that are not exported, that come too late, or that a nested stack lacks or does not take. */
export function crossReferenceErrors(stacks: readonly Deployed[], templates: readonly Template[]): string[] {
  return [
    ...stacks.flatMap((stack) => importErrors(stack, stacks, templates)),
    ...doubleExports(templates),
    ...templates.flatMap((template) => nestingErrors(template, templates)),
  ];
}

/** A stack's own template with those nested in it, however deep. */
function withNested(template: Template, templates: readonly Template[]): Template[] {
  const inner = templates.filter(({ file }) => Object.values(template.nested).includes(file));
  return [template, ...inner.flatMap((one) => withNested(one, templates))];
}

function importErrors(
  stack: Deployed,
  stacks: readonly Deployed[],
  templates: readonly Template[],
): string[] {
  const all = withNested(stack.template, templates).map(({ text }) => JSON.parse(text) as Json);
  const imports = all
    .flatMap((one) => argumentsOf(one, 'Fn::ImportValue'))
    .map((argument) => {
      const producer = stacks.find(({ template }) =>
        Object.values(template.outputs).some(({ Export }) => Export?.Name === argument),
      );
      return { what: String(argument), producer };
    });
  const reads = all
    .flatMap((one) => argumentsOf(one, 'Fn::GetStackOutput'))
    .map((argument) => {
      const { StackName, OutputName } = argument as { StackName: string; OutputName: string };
      const producer = stacks.find(
        ({ name, template }) => name === StackName && OutputName in template.outputs,
      );
      return { what: `${StackName}.${OutputName}`, producer };
    });
  return [...imports, ...reads].flatMap(({ what, producer }) => {
    if (producer === undefined) {
      return [`${stack.name} imports ${what}, which no stack has`];
    }
    return stack.after.includes(producer.name)
      ? []
      : [`${stack.name} imports ${what}, but is not deployed after ${producer.name}`];
  });
}

function doubleExports(templates: readonly Template[]): string[] {
  const names = templates.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ Export }) => Export?.Name ?? []),
  );
  return names
    .filter((name, at) => names.indexOf(name) !== at)
    .map((name) => `${name} is exported more than once`);
}

function nestingErrors(parent: Template, templates: readonly Template[]): string[] {
  return Object.entries(parent.resources).flatMap(([id, { Type, Properties }]) => {
    if (Type !== 'AWS::CloudFormation::Stack') {
      return [];
    }
    const nested = templates.find(({ file }) => file === parent.nested[id]);
    if (nested === undefined) {
      return [`${id} has no template`];
    }
    const given = Object.keys(Properties.Parameters ?? {});
    const taken = Object.keys(nested.parameters);
    const wanted = argumentsOf(parent.resources, 'Fn::GetAtt').flatMap((argument) => {
      const [target, attribute = ''] = argument as [string, string?];
      return target === id ? [attribute.replace('Outputs.', '')] : [];
    });
    return [
      ...given.filter((name) => !taken.includes(name)).map((name) => `${id} does not take ${name}`),
      ...taken
        .filter((name) => !given.includes(name) && nested.parameters[name].Default === undefined)
        .map((name) => `${id} is not given ${name}`),
      ...wanted.filter((name) => !(name in nested.outputs)).map((name) => `${id} has no output ${name}`),
    ];
  });
}

/** The arguments of every use of an intrinsic function. */
function argumentsOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => (key === name ? [inner] : argumentsOf(inner, name)));
}
