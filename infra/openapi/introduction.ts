import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { eventSchemas } from '../../shared/notifications/event-schemas.ts';

const eventRows = Object.entries(eventSchemas).map(
  ([name, data]) => `| \`${name}\` | ${z.globalRegistry.get(data)?.description} |`,
);

/** How programs work with the service. A test runs its samples exactly as printed. */
const integrating = readFileSync(new URL('./integrating.md', import.meta.url), 'utf8').trim();

/**
 * Tells a client what to know before the operations, in Markdown: the document's `info.description`.
 * @param limits the table of the limits that responses announce.
 */
export const introductionWith = (limits: string) =>
  `
Switchboard keeps the contacts of many organizations on boards of pipeline stages, and sends every change to all connected clients that may see it. Bodies are JSON; a body that parses as JSON is accepted regardless of its content type. Properties of a request that an operation does not describe are ignored. Responses may gain properties: clients must tolerate them.

## Authentication

\`POST /api/auth/login\` returns an access token, \`token\`. Send it as \`Authorization: Bearer <token>\`; it is valid for \`sessionConfig.tokenExpiryHours\`. Before it expires, exchange the \`refreshToken\` for new tokens with \`POST /api/auth/refresh\`. A refresh token works once: keep the new one. When several requests send the same refresh token at once, exactly one gets the new tokens; the others get 401 with \`code\` \`TOKEN_EXPIRED\` and \`reason\` \`superseded\`, and must wait for that one instead of asking the user to log in. A 401 of this operation without \`reason\` means: log in again. If the response to a refresh may have been lost, as on a phone without a network, repeat the request within 10 seconds with the same header \`Idempotency-Key\` that it had: it gets the same response again.

\`GET /api/auth/sessions\` lists the sessions of a user, \`DELETE /api/auth/sessions/{id}\` ends one of them, \`POST /api/users/{id}/sign-out\` all, and \`PUT /api/auth/password\` all but the one in which the password is changed. A session that has ended cannot be refreshed, and its connections for live events are closed; access tokens already issued work until they expire.

A user can set up a second factor, an app that shows codes (\`POST /api/auth/factors\`). A login with the right password then returns \`{mfaRequired: true, mfaToken}\` without tokens, and \`POST /api/auth/login/factor\` opens the session. An organization can require a second factor of its administrators or of everybody (\`factorRequiredFor\` of the session settings): who has none yet gets a session with \`factorSetupRequired\`, in which every operation but setting one up is 403 and the socket token opens nothing. Once the factor is confirmed, refresh that session.

Roles, highest first: \`SUPERADMIN\` (every organization), \`ADMIN\` (their own organization), \`DEPARTMENT_HEAD\` (records of the members of their own departments), \`SALES_REP\` (records created by, owned by or assigned to the user). A record outside your scope gets exactly the same response as one that does not exist. A \`SUPERADMIN\` acts in another organization by naming it in the header \`x-organization-id\`, which every operation with a bearer token accepts; an organization named in the path takes precedence. From any other role the header is refused with 403: do not send it.

## Examples

Against a local host with the demo data, every example works as printed when you are logged in as \`admin@example.com\`, or as \`superadmin@example.com\` where the lowest role is \`SUPERADMIN\`. Three need a token of your own: \`POST /api/auth/refresh\` a refresh token, \`POST /api/auth/password/reset\` and \`POST /api/auth/invitations/accept\` one from a link in an email. Those about second factors need the id of a factor that you have set up, and a code of your app. After \`PUT /api/auth/password\`, log in with the new password, or change it back. The example responses were recorded from such a host, with long lists cut to two entries. On any other host, replace the identifiers in the examples with your own. Code samples call a service at \`$BASE\` or \`base\`, such as \`http://127.0.0.1:3000\`, with the \`token\` of a login. An example that deletes or registers something works only once.

## Repeating a request

Send a header \`Idempotency-Key\` of 1 to 255 printable ASCII characters, such as a UUID, with every POST, PUT, PATCH and DELETE that you may have to repeat, because its response may be lost. However often the same request is sent with the same key within 24 hours, and however many of them at once, it happens once: each gets the response of the first, those that repeat it with the header \`idempotent-replayed: true\`. A request is the same if its method, path, query, \`x-organization-id\` and the bytes of its body are; another one with the key is refused with 422. While the first is still running, the response is 409 with \`Retry-After: 1\`: send it again then. After a failure within the service that takes about ten seconds.

Only the response of a change that was made is kept. A request that was refused leaves its key free: correct it and send it with the same key. A repeated response leaves out the secrets that the first one showed, and has \`secretShown: true\` in their place; links in it may have expired. Keys belong to the user who sends them. Operations that only read ignore the header, and so do those without a bearer token, except \`POST /api/auth/refresh\`.

## In a browser

Pages from any origin may call the API with any request header, including tracing headers and \`Idempotency-Key\`, and may read the response headers \`x-request-id\`, \`apigw-requestid\`, \`ratelimit\`, \`ratelimit-policy\`, \`retry-after\`, \`idempotent-replayed\`, \`www-authenticate\`, \`etag\`, \`location\`, \`allow\` and \`date\`. The API uses no cookies: do not set the \`credentials\` option of \`fetch\`.

All tabs of a page share one session, and so one refresh token. The client does what this takes: one tab renews the session and the others use the tokens it received. It has a method for each operation, and runs in Node.js, too. Any script of your origin can read the stored tokens: keep third-party scripts off it with a content security policy.

\`\`\`js
import { createClient, keepInBrowser } from 'https://api.example.com/api/client.js';

export const client = createClient({ baseUrl: 'https://api.example.com', session: keepInBrowser() });
\`\`\`

Then \`await client.login({ email, password })\` opens the session, and \`await client.createContact({ firstName: 'Ada' })\` calls.

## Errors

The status says what kind of error it is; the group of the operation determines the shape of the body:

| Operations | Body |
|---|---|
| login and sessions | \`{error, code}\` |
| contacts | \`{error, message}\` |
| contact notes | \`{success: false, message, error}\`, with a code as \`error\` |
| calls | \`{success: false, error}\` |
| organizations | \`{error, details}\` |
| everything else | \`{success: false, message}\` |

An access token that is refused gets 401 with \`{error, message}\` from every operation, except \`GET /api/auth/verify-token\`, which returns \`{error}\` alone. Responses of the gateway itself have \`{message}\` alone: 401 without an \`Authorization\` header, 429 above the rate limit, 5xx when an operation gave no response. After a 429 or 503, wait for the seconds in \`Retry-After\` if it is present. Every response of an operation carries \`x-request-id\`.

## Conventions

- **Identifiers** are opaque, URL-safe strings that sort by time of creation. A string that cannot be one, in a path, a query or a body, is treated like the id of a record that does not exist.
- **null** for an optional property of a request is as if the property were absent, unless its description says what null does.
- **Timestamps** are ISO 8601 in UTC with milliseconds: \`2026-01-31T09:30:00.000Z\`.
- **Query parameters** that an operation does not describe are refused with 400; the message names them and those that the operation accepts. Only webhooks, pages and documents for browsers, logout and token checks accept any.
- **Lists** take \`limit\` (1 to 100, default 25) and \`cursor\`, and return \`nextCursor\`: the cursor of the next page, or null on the last one. Any page may be shorter than its limit. The board has numbered pages within each stage instead.

## Limits

A body may have at most 256 KB unless its operation says otherwise (413 beyond that), at most 100 levels of nesting, and no key \`__proto__\`. Names and labels may have at most 200 characters, counted in Unicode code points. A response takes at most 10 seconds unless its operation says otherwise. After several failed logins, further ones get 429 for a while. So does whoever sends too many requests to an operation that has a limit for one user or one network: its description has it.

A response to a request that draws on one of these limits announces it, whether the request succeeds or fails: \`RateLimit-Policy\` names the limits with how many (\`q\`) they allow within how many seconds (\`w\`), \`RateLimit\` says how many are left (\`r\`), and in how many seconds (\`t\`) all are there again or, if none is left, the next one. A login to an address without an account has the same values as any other. A repeated response to the same \`Idempotency-Key\` has drawn on nothing. Both headers are structured fields as \`draft-ietf-httpapi-ratelimit-headers\` defines them, such as \`RateLimit: "login-account";r=4;t=900\`. The numbers are what the process that answers knows: others may have been faster. A 429 of an operation has \`Retry-After\`, too; the gateway's own 429 has neither.

${limits}

## Live events

Open a WebSocket with the \`socketToken\` of login, register or refresh: \`wss://<socket address>?token=<socketToken>\`. Every event is one text frame \`{id, event, at, actor, data}\` of at most 32 KB. It is delivered at least once (a repeated event has the same \`id\`), and only to users who may see the record. The schemas \`ReceivedFrame\` and \`SentFrame\` describe every frame; \`GET /api/asyncapi.json\` describes them as an AsyncAPI document.

| Event | What happened |
|---|---|
${eventRows.join('\n')}

A handshake is refused with 401 when the socket token is missing, malformed or expired, or when its user was disabled or its session has ended. A script in a browser cannot see the status: its \`WebSocket\` fires \`error\`, then \`close\` with \`code\` 1006 and an empty \`reason\`, just as when the network fails. Whenever a connection ends, for any reason, get a new \`socketToken\` from \`POST /api/auth/refresh\` (a socket token is valid for 5 minutes), then open another connection: the first time at once, then after 1, 2, 4 seconds and so on up to 30, each varied slightly at random. If that refresh returns a 401 without \`reason\`, stop trying: log in again. A user can have 20 connections, and an organization 2,000 unless the operator has set another number; when more are open, the next event closes the oldest ones.

A program that asks from time to time in place of a connection reads the same events with \`GET /api/events\`, in the order of their ids and without repetitions, 31 seconds after they happened.

Frames a client can send:

| Frame | Reply |
|---|---|
| \`{"action": "ping"}\` | \`pong\` |
| \`{"action": "authenticate", "token": "<socketToken>"}\` | \`authenticated\`: the socket token of a refresh has extended the connection |
| \`{"action": "resume", "since": "<id of the last event seen before this connection>"}\` | the events missed in the last 72 hours, up to 5,000, in order, then \`resumed\`; or \`resync_required\`: reload everything |

${integrating}
`.trim();
