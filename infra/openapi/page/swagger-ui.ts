/** The part of Swagger UI that the page uses. */
export interface SwaggerUi {
  /** Sets the token of a security scheme, like the dialog "Authorize". */
  preauthorizeApiKey(scheme: string, token: string): void;
  readonly authActions: { logout(schemes: readonly string[]): void };
  readonly authSelectors: { authorized(): { getIn(path: readonly string[]): string | undefined } };
  readonly layoutActions: {
    show(path: readonly string[], isShown: boolean): void;
    /** Opens the target of a deep link, and scrolls there. */
    parseDeepLinkHash(hash: string): void;
  };
  getStore(): { subscribe(listener: () => void): void };
}

/** The response of an operation under "Try it out". */
export interface PageResponse {
  readonly url: string;
  readonly status: number;
  readonly text?: string;
}

/** A React element, and what makes one; Swagger UI has its own React. */
export type Element = object;
export type Component = (properties: Record<string, unknown>) => Element;

/** An immutable map. */
// biome-ignore lint/suspicious/noExplicitAny: Swagger UI brings its own `immutable`, without its types.
export type Immutable = any;

/** The part of Swagger UI that a plugin gets. */
export interface System {
  getComponent(name: string, isContainer: boolean): unknown;
  readonly React: {
    readonly Fragment: object;
    createElement(type: unknown, properties: object | null, ...children: unknown[]): Element;
  };
  readonly specActions: { updateJsonSpec(json: unknown): void };
  readonly specSelectors: { taggedOperations(): Immutable };
}

export interface Plugin {
  readonly fn?: Record<string, unknown>;
  readonly statePlugins?: Record<string, unknown>;
  readonly components?: Record<string, Component>;
  readonly wrapComponents?: Record<string, (original: Component, system: System) => Component>;
}
