// `npm run bootstrap [-- --profile …]`: `cdk bootstrap` of the account and region that `npm run deploy` would deploy to. It first prints
// both, or in one line what is missing.

import { optionsIn, runCdk } from './cdk-command.ts';
import { isProgram } from './project.ts';
import { findTarget, readAccount } from './target.ts';

if (isProgram(import.meta)) {
  const args = process.argv.slice(2);
  try {
    const target = await findTarget('bootstrap', process.env, optionsIn(args).profile);
    const { region } = target;
    const account = await readAccount(target);
    console.log(
      account === undefined
        ? `Bootstrapping ${region} in the account of a profile that asks for a code.`
        : `Bootstrapping ${region} in the account ${account}.`,
    );
    // With an app, `cdk` would first build the product to look for further environments.
    const environment = account === undefined ? [] : [`aws://${account}/${region}`, '--app='];
    process.exitCode = await runCdk(['bootstrap', ...environment, ...args], region);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
