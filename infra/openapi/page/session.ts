import { refusals } from '../../../shared/kernel/failure.ts';
import type { PageResponse, SwaggerUi } from './swagger-ui.ts';

const scheme = 'bearer';

/**
 * Keeps the token after a reload. Not `localStorage`, which every tab reads, and which keeps a token after the browser was
 * closed. The page's policy runs only its own scripts, and lets them send it only to this service. The refresh token, good for 30
 * days, is not kept at all.
 */
const storage = sessionStorage;
const item = 'switchboard.session';

/** The longest delay of a timer. */
const longestDelay = 2 ** 31 - 1;

interface Session {
  readonly token: string;
  /** The token's user; unknown for a token that was pasted. */
  readonly name?: string;
}

export interface SessionWatch {
  /** Uses the token of an earlier visit again. */
  restore(): void;
  /** Logs in or out after an operation that did so. */
  follow(response: PageResponse): void;
}

/** Logs the page in and out according to the responses to its own requests, and shows the reader who is logged in. */
export function watchSession(ui: SwaggerUi, tell: (text: string, isLoggedIn: boolean) => void): SessionWatch {
  let current: Session | undefined;
  let announced: Session | undefined;
  let ending: ReturnType<typeof setTimeout> | undefined;

  // Runs after every change of the token, even by the dialog "Authorize".
  ui.getStore().subscribe(() => {
    const token = ui.authSelectors.authorized().getIn([scheme, 'value']);
    if (token === undefined && current !== undefined) {
      change(undefined);
    } else if (token !== undefined && token !== current?.token) {
      change(token === announced?.token ? announced : { token });
    }
  });

  function change(session: Session | undefined, farewell = 'Not logged in'): void {
    current = session;
    clearTimeout(ending);
    if (session === undefined) {
      storage.removeItem(item);
      tell(farewell, false);
      return;
    }
    storage.setItem(item, JSON.stringify(session));
    tell(`Logged in ${session.name === undefined ? 'with a token' : `as ${session.name}`}`, true);
    const left = expiryOf(session.token) - Date.now();
    if (left < longestDelay) {
      ending = setTimeout(() => end('The session has expired'), left);
    }
  }

  function begin(session: Session): void {
    announced = session;
    ui.preauthorizeApiKey(scheme, session.token);
    announced = undefined;
  }

  function end(farewell?: string): void {
    ui.authActions.logout([scheme]);
    change(undefined, farewell);
  }

  return {
    restore() {
      const session = stored();
      if (session === undefined) {
        tell('Not logged in', false);
      } else if (expiryOf(session.token) <= Date.now()) {
        change(undefined, 'The session has expired');
      } else {
        begin(session);
      }
    },
    follow({ url, status, text = '' }) {
      const { pathname } = new URL(url, location.href);
      const body = parsed(text);
      const isSuccess = status >= 200 && status < 300;
      if (isSuccess && isLogin(pathname, current !== undefined) && isText(body.token)) {
        begin({ token: body.token, ...nameIn(body) });
      } else if (isSuccess && pathname === '/api/auth/logout') {
        end();
      } else if (current !== undefined && status === 401 && isRefusal(body)) {
        end('The token was refused');
      }
    },
  };
}

/** Registering another user does not change who is logged in. */
function isLogin(pathname: string, isLoggedIn: boolean): boolean {
  return (
    /^\/api\/auth\/(login|login\/factor|refresh)$/.test(pathname) ||
    (pathname === '/api/auth/register' && !isLoggedIn)
  );
}

function stored(): Session | undefined {
  const { token, name } = parsed(storage.getItem(item) ?? '');
  return isText(token) ? { token, ...(isText(name) ? { name } : {}) } : undefined;
}

/** Milliseconds since 1970; infinity if the token does not say. */
function expiryOf(token: string): number {
  const [, payload = ''] = token.split('.');
  try {
    const { exp } = parsed(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof exp === 'number' ? exp * 1_000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function nameIn({ user }: Record<string, unknown>): { name?: string } {
  const { fullName, accessRole } = (user ?? {}) as Record<string, unknown>;
  return isText(fullName) && isText(accessRole) ? { name: `${fullName}, ${accessRole}` } : {};
}

/** Whether the token was refused, and not for example the signature of a webhook. */
function isRefusal({ error }: Record<string, unknown>): boolean {
  return Object.values(refusals).some((refusal) => refusal.error === error);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Anything but a JSON object becomes an empty one. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
