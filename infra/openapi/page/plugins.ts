import { resolvedPart } from './references.ts';
import type { Group, Plugin, System } from './swagger-ui.ts';

const mailPaths = ['/api/auth/password/reset', '/api/auth/invitations/accept'];

/**
 * Reads our document, which is JSON and refers only to itself. Swagger UI's own way takes it seconds.
 * @param mailToken stands in the bodies of the operations that take the token of an email.
 */
export const ownDocument = (mailToken: string | undefined) => (): Plugin => ({
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
            // Requests go to the page's own origin: its policy allows no other, even if a proxy has changed the server in the document.
            const { servers: _, ...document } = JSON.parse(text);
            for (const path of mailToken === undefined ? [] : mailPaths) {
              document.paths[path].post.requestBody.content['application/json'].example.token = mailToken;
            }
            specActions.updateJsonSpec(document);
          },
      },
    },
  },
});

/** Folds the sections of the introduction and of chapters, so that the operations are on the first screen. */
export const foldedSections = (): Plugin => ({
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
            { className: 'sections' },
            createElement('summary', null, headings.join(' · ')),
            createElement(Original, { ...properties, source: source.slice(start) }),
          ),
        );
      },
  },
});

/** Shows the chapter of a group, which follows the first paragraph of its description, above its operations. */
export const chapters = (): Plugin => ({
  wrapComponents: {
    OperationTag:
      (Original, { React: { createElement }, getComponent }) =>
      ({ tagObj, children, ...properties }) => {
        const place = ['tagDetails', 'description'];
        const [summary = '', ...chapter] = (tagObj as Group).getIn(place).split('\n\n');
        return createElement(
          Original,
          { ...properties, tagObj: (tagObj as Group).setIn(place, summary) },
          createElement(
            'div',
            { className: 'chapter' },
            createElement(getComponent('Markdown', true), { source: chapter.join('\n\n') }),
          ),
          children,
        );
      },
  },
});
