import type { Component, Plugin, System } from './swagger-ui.ts';

/** Gives an element of a component what a screen reader or a keyboard needs. Source: WCAG 2.2, 2.1.1 and 4.1.2. */
const amended =
  (selector: string, attribute: string, value: string) =>
  (Original: Component, { React: { createElement } }: System): Component => {
    const amend = (around: HTMLElement | null) =>
      around?.querySelector(selector)?.setAttribute(attribute, value);
    return (properties) => createElement('div', { ref: amend }, createElement(Original, properties));
  };

/** Changes what a component is given. */
const changed =
  (change: Component) =>
  (Original: Component, { React: { createElement } }: System): Component =>
  (properties) =>
    createElement(Original, change(properties));

/** Leaves no critical or serious finding of axe-core, together with the style. */
export const accessibility = (): Plugin => ({
  wrapComponents: {
    ExamplesSelect: amended('select', 'aria-label', 'Example'),
    FilterContainer: amended('input', 'placeholder', 'Search operations'),
    Select: amended('select', 'aria-label', 'Value'),
    TextArea: amended('textarea', 'aria-label', 'Value'),
    JSONSchema202012Accordion: amended('button', 'title', 'Details'),
    authorizationPopup: amended('.close-modal', 'title', 'Close'),
    HighlightCode: amended('pre', 'tabindex', '0'),
    curl: amended('pre', 'tabindex', '0'),
    // Some say something else to a screen reader than what they show.
    Button: changed(({ 'aria-label': _, ...properties }) => properties),
    // The path of an operation is in a button, which must not have a link in it.
    DeepLink: changed((properties) =>
      String(properties.path).includes('/') ? { ...properties, enabled: false } : properties,
    ),
  },
});
