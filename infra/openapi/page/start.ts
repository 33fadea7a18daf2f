import { accessibility } from './accessibility.ts';
import { element } from './element.ts';
import { playMissedCalls } from './missed-call.ts';
import { chapters, codeSamples, foldedSections, ownDocument, search, sideBar } from './plugins.ts';
import { type SessionWatch, watchSession } from './session.ts';
import type { PageResponse, SwaggerUi } from './swagger-ui.ts';
import { tryWorkflows } from './try-workflow.ts';
import { followWebhooks } from './webhooks.ts';

declare const SwaggerUIBundle: (options: object) => SwaggerUi;

const loginLink = '#/Auth/login';

/**
 * A link of an email ends with its token, which goes into the body of the operation and out of the address, the history and screenshots.
 */
const linkOfMail = /^(.*)\?token=([\w.-]+)$/;
const [, operationOfMail, mailToken] = linkOfMail.exec(location.hash) ?? [];
if (operationOfMail !== undefined) {
  history.replaceState(null, '', location.pathname + operationOfMail);
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

const status = element('session-status');
const logIn = element('log-in');
const logOut = element('log-out');
let session: SessionWatch | undefined;

const ui = SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#documentation',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  showExtensions: true,
  // Its colours have enough contrast.
  syntaxHighlight: { activated: true, theme: 'obsidian' },
  validatorUrl: null,
  // It would use localStorage: see session.ts.
  persistAuthorization: false,
  plugins: [ownDocument(mailToken), foldedSections, chapters, search, sideBar, codeSamples, accessibility],
  responseInterceptor(response: PageResponse) {
    session?.follow(response);
    return response;
  },
  onComplete() {
    // Below the name of the product and its sentence.
    document.querySelector('.information-container')?.after(element('plays'));
    session = watchSession(ui, (text, isLoggedIn) => {
      status.textContent = text;
      status.classList.toggle('logged-in', isLoggedIn);
      logIn.hidden = isLoggedIn;
      logOut.hidden = !isLoggedIn;
    });
    session.restore();
    if (location.hash.length < 3) {
      // Without a deep link the page opens where everything begins.
      ui.layoutActions.show(['operations-tag', 'Auth'], true);
      history.replaceState(null, '', location.pathname);
    }
  },
});

const tokenNow = () => ui.authSelectors.authorized().getIn(['bearer', 'value']);
playMissedCalls(tokenNow);
tryWorkflows(tokenNow);
followWebhooks(tokenNow);

logOut.addEventListener('click', () => ui.authActions.logout(['bearer']));
// Swagger UI opens every link of a description in another tab, in which nobody is logged in.
addEventListener('click', ({ target }) =>
  (target as Element).closest('a[href^="#/"]')?.removeAttribute('target'),
);
logIn.addEventListener('click', () => follow(loginLink));
addEventListener('popstate', () => {
  if (linkOfMail.test(location.hash)) {
    // Opened where the page is open already.
    location.reload();
    return;
  }
  if (location.hash.length >= 3) {
    follow(location.hash);
  }
});

/** Swagger UI follows a deep link only when it starts: later ones it opens, and does not scroll to what it shows already. */
function follow(link: string): void {
  const hash = decodeURIComponent(link);
  ui.layoutActions.parseDeepLinkHash(hash);
  const [, ...steps] = hash.replaceAll(' ', '_').split('/');
  const id = ['operations', ...(steps.length === 1 ? ['tag'] : []), ...steps].join('-');
  setTimeout(() => document.getElementById(id)?.scrollIntoView());
}
