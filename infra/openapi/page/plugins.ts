import type { CodeSample } from '../code-samples.ts';
import { resolvedPart } from './references.ts';
import type { Immutable, Plugin, System } from './swagger-ui.ts';

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
      ({ children, ...properties }) => {
        const group = properties.tagObj as Immutable;
        const path = ['tagDetails', 'description'];
        const [summary, ...chapter] = group.getIn(path).split('\n\n');
        return createElement(
          Original,
          { ...properties, tagObj: group.setIn(path, summary) },
          createElement(getComponent('Markdown', true), { source: chapter.join('\n\n') }),
          children,
        );
      },
  },
});

/**
 * Finds operations by the words of their group, path, name, summary and description. While the reader searches, every group that has
 * some is open.
 */
export const search = (): Plugin => ({
  fn: {
    opsFilter(groups: Immutable, phrase: string) {
      const words = phrase.toLowerCase().split(/\s+/);
      const matches = (...texts: string[]) =>
        words.every((word) => texts.join(' ').toLowerCase().includes(word));
      const isFound = (one: Immutable, group: string) => {
        const { operationId, summary, description } = one.get('operation').toObject();
        return matches(group, one.get('path'), operationId, summary, description);
      };
      return groups
        .map((group: Immutable, name: string) =>
          group.update('operations', (all: Immutable) => all.filter((one: Immutable) => isFound(one, name))),
        )
        .filter((group: Immutable, name: string) => group.get('operations').size > 0 || matches(name));
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        isShown:
          (original: (...all: unknown[]) => boolean) =>
          (layout: Immutable, thing: readonly string[], ...others: unknown[]) =>
            // Without a phrase, the filter is `true` or empty.
            (thing[0] === 'operations-tag' && layout.get('filter').length > 0) || original(thing, ...others),
      },
    },
  },
});

/** Shows the groups beside their operations, where there is room. */
export const sideBar = (): Plugin => ({
  wrapComponents: {
    operations:
      (Original, { React: { createElement }, specSelectors }) =>
      (properties) =>
        createElement(
          'div',
          { className: 'beside-groups' },
          createElement(
            'nav',
            { 'aria-label': 'Groups' },
            specSelectors
              .taggedOperations()
              .keySeq()
              .toArray()
              .map((name: string) =>
                createElement('a', { key: name, href: `#/${encodeURIComponent(name)}` }, name),
              ),
          ),
          createElement(Original, properties),
        ),
  },
});

/** Shows how to call an operation, which the document has as an extension. */
export const codeSamples = ({ React: { createElement }, getComponent }: System): Plugin => ({
  components: {
    OperationExt: ({ extensions }) =>
      createElement(
        'div',
        { className: 'responses-inner' },
        (extensions as Immutable)
          .get('x-codeSamples')
          .toJS()
          .map(({ label, source }: CodeSample) =>
            createElement(
              'details',
              { key: label, className: 'sections' },
              createElement('summary', null, label),
              createElement(getComponent('HighlightCode', true), { language: 'bash', canCopy: true }, source),
            ),
          ),
      ),
  },
});
