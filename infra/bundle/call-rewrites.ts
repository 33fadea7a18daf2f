/** The source of a library's file, as it is to run; `path` is where that file is. */
export type Rewrite = readonly [file: RegExp, rewrite: (source: string, path: string) => string];

/** Replaces each of these. @throws if one of them is not there. */
function replacing(...replacements: readonly (readonly [RegExp, string])[]) {
  return (source: string, path: string) =>
    replacements.reduce((text, [pattern, by]) => changed(text, text.replace(pattern, by), path), source);
}

/**
 * What the SDK does anew in every call, though it comes out the same: a third of the time of a call. The rewrites fit its modules for
 * bundlers (`dist-es`) and for Node.js (`dist-cjs`), so that tests can run what bundles run.
 */
export const callRewrites: readonly Rewrite[] = [
  // Every call copies the client's whole configuration three times, 8 µs each: an object that inherits from it does as well.
  [
    /@smithy\/core\/dist-(?:es\/submodules\/schema\/middleware\/schema(?:Serialization|Deserialization)Middleware|cjs\/submodules\/schema\/index)\.js$/,
    (source) =>
      source.replaceAll(
        /\{\s*\.\.\.config,\s*\.\.\.context,\s*(endpoint,\s*)?\}/g,
        (_, endpoint) => `Object.assign(Object.create(config), context${endpoint ? ', { endpoint }' : ''})`,
      ),
  ],
  // Every call works out the endpoint anew, from the same configuration and with up to three URLs.
  [
    /@smithy\/core\/dist-(?:es\/submodules\/endpoints\/middleware-endpoint\/endpointMiddleware|cjs\/submodules\/endpoints\/index)\.js$/,
    replacing(
      [
        /return \(next, context\) => async \(args\) => \{(?=\s*if \(config\.isCustomEndpoint\))/,
        'let found;\n$&',
      ],
      [
        /await (getEndpointFromInstructions\((?:(?!await)[\s\S])*?), \{ \.\.\.config \}, context\);/,
        'await (found ??= $1, Object.create(config), context).catch((error) => { found = undefined; throw error; }));',
      ],
    ),
  ],
  // Every call makes an error that nobody sees, with its stack.
  [
    /@smithy\/core\/dist-(?:es\/submodules\/retry\/middleware-retry\/retryMiddleware|cjs\/submodules\/retry\/index)\.js$/,
    (source) => source.replace('let lastError = new Error();', 'let lastError;'),
  ],
];

/** The rewritten source. A rewrite that changes nothing is an error. */
export const rewritten = (source: string, path: string, [, rewrite]: Rewrite): string =>
  changed(source, rewrite(source, path), path);

function changed(source: string, result: string, path: string): string {
  if (result === source) {
    throw new Error(`What is rewritten for bundles in ${path} is not there: has its version changed?`);
  }
  return result;
}
