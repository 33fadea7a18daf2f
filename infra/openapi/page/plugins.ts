import { resolvedPart } from './references.ts';
import type { Plugin, System } from './swagger-ui.ts';

/** Reads our document, which is JSON and refers to itself only. What Swagger UI does for any other takes it seconds. */
export const ownDocument = (): Plugin => ({
  fn: {
    resolveSubtree: async (document: unknown, path: readonly string[]) => ({
      errors: [],
      spec: resolvedPart(document, path),
    }),
  },
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson:
          (_original: unknown, { specActions }: System) =>
          (text: string) => {
            // The page asks where it came from: its policy allows no other address, whatever a proxy made of this one.
            const { servers: _, ...document } = JSON.parse(text);
            specActions.updateJsonSpec(document);
          },
      },
    },
  },
});

/** Folds what the introduction says under its headings, so that the operations are on the first screen. */
export const foldedIntroduction = (): Plugin => ({
  wrapComponents: {
    Markdown:
      (Original, { React: { Fragment, createElement } }) =>
      (properties) => {
        const source = String(properties.source ?? '');
        const start = source.search(/^## /m);
        if (start < 0) {
          return createElement(Original, properties);
        }
        const headings = [...source.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
        return createElement(
          Fragment,
          null,
          createElement(Original, { ...properties, source: source.slice(0, start) }),
          createElement(
            'details',
            { className: 'introduction' },
            createElement('summary', null, headings.join(' · ')),
            createElement(Original, { ...properties, source: source.slice(start) }),
          ),
        );
      },
  },
});
