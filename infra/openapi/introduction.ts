import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { eventSchemas } from '../../shared/live/schemas/event-schemas.ts';

const eventRows = Object.entries(eventSchemas).map(
  ([name, data]) => `| \`${name}\` | ${z.globalRegistry.get(data)?.description} |`,
);

/** A module for pages; a test runs it in a browser exactly as printed. */
const browserSession = readFileSync(new URL('./browser-session.js', import.meta.url), 'utf8').trim();

/** What a client must know before the operations, in Markdown: the document's `info.description`. */
export const introduction = `
Switchboard keeps the contacts of many organizations on boards of pipeline stages, and tells every open client what changes. Bodies are JSON; a body that parses as JSON is accepted whatever its content type says. Properties that an operation does not describe are ignored, and answers may gain properties: tolerate them.

## Authentication

\`POST /api/auth/login\` answers an access token, \`token\`. Send it as \`Authorization: Bearer <token>\`; it lives as long as \`sessionConfig.tokenExpiryHours\` says. Before it ends, \`POST /api/auth/refresh\` turns the \`refreshToken\` into new tokens. A refresh token works once: keep the new one. Of several requests at once with one token, exactly one gets the new tokens; the others get 401 with \`code\` \`TOKEN_EXPIRED\` and \`reason\` \`superseded\`, and must wait for that one instead of asking the user to log in. A 401 of this operation without \`reason\` means: log in again.

Roles, highest first: \`SUPERADMIN\` (every organization), \`ADMIN\` (their own organization), \`DEPARTMENT_HEAD\` (records of the members of their own departments), \`SALES_REP\` (records created by, owned by or assigned to the caller). A record outside the caller's scope reads exactly like one that does not exist. A \`SUPERADMIN\` acts in another organization by naming it in the header \`x-organization-id\`, which every operation with a bearer token takes; where the path names an organization, the path decides. From anyone else the header is refused with 403: do not send it.

## Examples

On a local host with its demo data every example succeeds as it is printed, signed in as \`admin@example.com\`, or as \`superadmin@example.com\` where the lowest role is \`SUPERADMIN\`; all but that of \`POST /api/auth/refresh\`, which takes a refresh token of your own. The examples of answers are what such a host answers, at one moment, with long lists cut to two. Elsewhere, put your own identifiers in place of those in the examples. What an example deletes or registers can be deleted or registered once.

## In a browser

Pages of any origin may call the API with any request header, those of tracing and \`Idempotency-Key\` among them, and may read \`x-request-id\`, \`apigw-requestid\`, \`retry-after\`, \`www-authenticate\`, \`etag\`, \`location\`, \`allow\` and \`date\` of a response. There are no cookies: leave \`credentials\` of \`fetch\` as it is.

All tabs of a page share one session, and so one refresh token. With this module one tab renews it and the others take what it got; \`call\` takes the arguments of \`fetch\`, with a path as the first. Any script of your origin can read what is kept here: keep third-party scripts off it with a content security policy.

\`\`\`js
${browserSession}
\`\`\`

## Errors

The status tells the kind of error, the group of the operation the shape of its body:

| Operations | Body |
|---|---|
| sign-in and sessions | \`{error, code}\` |
| contacts | \`{error, message}\` |
| contact notes | \`{success: false, message, error}\`, with a code as \`error\` |
| calls | \`{success: false, error}\` |
| organizations | \`{error, details}\` |
| everything else | \`{success: false, message}\` |

A refused access token is 401 \`{error, message}\` everywhere, \`{error}\` alone from \`GET /api/auth/verify-token\`. What the gateway answers itself has \`{message}\` alone: 401 without an \`Authorization\` header, 429 above the rate limit, 5xx when an operation gave no answer. After 429 and 503 wait for the seconds in \`Retry-After\`, where it is given. Every answer of an operation carries \`x-request-id\`.

## Conventions

- **Identifiers** are opaque, URL-safe strings that sort by time of creation.
- **Timestamps** are ISO 8601 in UTC with milliseconds: \`2026-01-31T09:30:00.000Z\`.
- **Query parameters** that an operation does not describe are refused with 400, which names them and those that there are. Only webhooks, pages and documents for browsers, and log-out and token checks take any.
- **Lists** take \`limit\` (1 to 100, default 25) and \`cursor\`, and answer \`nextCursor\`: the cursor of the next page, null when there is none. A page may be shorter than its limit before the end. The board pages by number within each stage.

## Limits

A body has at most 256 KB unless its operation says otherwise (413 above), 100 levels of nesting, and no key \`__proto__\`. Names and labels have at most 200 characters, counted in Unicode code points. An answer takes at most 10 seconds unless its operation says otherwise. After several failed sign-ins, further ones answer 429 for a while.

## Live events

Open a WebSocket with the \`socketToken\` of login, register or refresh: \`wss://<socket address>?token=<socketToken>\`. Every event is one text frame \`{id, event, at, data}\` of at most 32 KB. It is delivered at least once (its \`id\` tells repetitions), and only to users who may see the record. The schemas \`ReceivedFrame\` and \`SentFrame\` describe every frame; \`GET /api/asyncapi.json\` describes them as an AsyncAPI document.

| Event | What happened |
|---|---|
${eventRows.join('\n')}

A handshake is refused with 401 when the socket token is missing, malformed or expired, or when its user was disabled. A script in a browser cannot see the status: its \`WebSocket\` fires \`error\`, then \`close\` with \`code\` 1006 and an empty \`reason\`, just as when the network fails. Whenever a connection ends, for whatever reason, get a new \`socketToken\` from \`POST /api/auth/refresh\` (a socket token lives 5 minutes), then open another connection: at once the first time, then after 1, 2, 4 seconds and so on up to 30, each a little longer or shorter at random. A 401 of that refresh without \`reason\` ends the attempts: log in again.

Frames a client can send:

| Frame | Answer |
|---|---|
| \`{"action": "ping"}\` | \`pong\` |
| \`{"action": "authenticate", "token": "<socketToken>"}\` | \`authenticated\`: the connection is extended with the socket token of a refresh |
| \`{"action": "resume", "since": "<id of the last event seen>"}\` | what was missed in the last 24 hours, in order, then \`resumed\`; or \`resync_required\`: load everything anew |
`.trim();
