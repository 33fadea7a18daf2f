// `npm run deploy [-- -c stage=production …]`: `cdk deploy` of all stacks. It first prints where they go, or in one
// line what is missing.

import cdk from '../cdk.json' with { type: 'json' };
import { optionsIn, runCdk } from './cdk-command.ts';
import { isProgram } from './project.ts';
import { readSettings, type Settings } from './settings.ts';
import { findTarget, readAccount } from './target.ts';

/** The warning for a deployment without a sender of email. */
export const noMail =
  'It will send no email, so nobody can be invited and no forgotten password replaced. Set mailFrom: see "Mail" in infra/README.md.';

/** The settings that a command line for `cdk deploy` makes. */
export function settingsIn(args: readonly string[]): Settings {
  const stated = optionsIn(args).context.map((text) => {
    const at = text.indexOf('=');
    return at < 0 ? [text, 'true'] : [text.slice(0, at), text.slice(at + 1)];
  });
  return readSettings({ ...cdk.context, ...Object.fromEntries(stated) });
}

/**
 * A warning before a deployment to a stage without settings of its own when other stages have some: its name may be misspelt. Undefined
 * when there is nothing to warn of.
 */
export function unknownStage(
  stage: string,
  { stages }: Readonly<Record<string, unknown>> = cdk.context,
): string | undefined {
  const known = Object.keys(stages ?? {});
  return known.length === 0 || known.includes(stage)
    ? undefined
    : `cdk.json has no settings for the stage ${stage}, only for: ${known.join(', ')}.`;
}

/** @throws an error for a person when a setting names a resource in another region, which AWS would refuse minutes later. */
function refuseElsewhere({ certificate, restoredTable }: Settings, region: string): void {
  for (const [name, arn] of Object.entries({ certificate, restoredTable })) {
    const [, , , there] = arn?.split(':') ?? [];
    if (there !== undefined && there !== region) {
      throw new Error(
        `${name} is in ${there}, but the deployment goes to ${region}: it must be in the same region.`,
      );
    }
  }
}

/** Nobody is asked, unless the command line says when: `cdk` refuses an option that is stated twice. */
function approval(args: readonly string[]): string[] {
  return args.some((arg) => /^--require-?approval(=|$)/i.test(arg)) ? [] : ['--require-approval', 'never'];
}

if (isProgram(import.meta)) {
  const args = process.argv.slice(2);
  try {
    const settings = settingsIn(args);
    const { stage, mailFrom } = settings;
    const target = await findTarget('deploy', process.env, optionsIn(args).profile);
    const { region } = target;
    refuseElsewhere(settings, region);
    const account = await readAccount(target);
    console.log(
      account === undefined
        ? `Deploying the stage ${stage} in ${region}, to the account of a profile that asks for a code.`
        : `Deploying the stage ${stage} to the account ${account} in ${region}.`,
    );
    for (const remark of [unknownStage(stage), mailFrom === undefined ? noMail : undefined]) {
      if (remark !== undefined) {
        console.log(remark);
      }
    }
    process.exitCode = await runCdk(['deploy', '--all', ...approval(args), ...args], region);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
