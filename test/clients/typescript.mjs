import { registerHooks } from 'node:module';

/** The generators take the TypeScript of this folder, whose compiler they call: from version 7 on there is nothing to call. */
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'typescript' ? { ...context, parentURL: import.meta.url } : context),
});
