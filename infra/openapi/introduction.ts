import * as z from 'zod/mini';
import { eventSchemas } from '../../shared/live/event-schemas.ts';

const eventRows = Object.entries(eventSchemas).map(
  ([name, data]) => `| \`${name}\` | ${z.globalRegistry.get(data)?.description} |`,
);

/** What a client must know before the single operations; Markdown, the `info.description` of the document. */
export const introduction = `
Switchboard keeps the contacts of many organizations on boards of pipeline stages, and tells every open client what changes. Bodies are JSON; a body that parses as JSON is accepted whatever its content type says. Properties that an operation does not describe are ignored, and answers may gain properties: tolerate them.

## Authentication

\`POST /api/auth/login\` answers an access token, \`token\`. Send it as \`Authorization: Bearer <token>\`; it lives as long as \`sessionConfig.tokenExpiryHours\` says. Before it ends, \`POST /api/auth/refresh\` turns the \`refreshToken\` into new tokens. A refresh token works once: keep the new one.

Roles, highest first: \`SUPERADMIN\` (every organization), \`ADMIN\` (the own organization), \`DEPARTMENT_HEAD\` (records of the members of the own departments), \`SALES_REP\` (records created by, owned by or assigned to the caller). A record outside the caller's scope reads exactly like one that does not exist. A \`SUPERADMIN\` acts in another organization by naming it in the header \`x-organization-id\`, which every operation with a bearer token takes; where the path names an organization, the path decides. From anyone else the header is refused with 403: do not send it.

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
- **Query parameters** that an operation does not describe are refused with 400, which names them and those that there are. Only webhooks take any.
- **Lists** take \`limit\` (1 to 100, default 25) and \`cursor\`, and answer \`nextCursor\`: the cursor of the next page, null when there is none. A page may be shorter than its limit before the end. The board pages by number within each stage.

## Limits

A body has at most 256 KB unless its operation says otherwise (413 above), 100 levels of nesting, and no key \`__proto__\`. Names and labels have at most 200 characters, counted in Unicode code points. An answer takes at most 10 seconds unless its operation says otherwise. After several failed sign-ins, further ones answer 429 for a while.

## Live events

Open a WebSocket with the \`socketToken\` of login, register or refresh: \`wss://<socket address>?token=<socketToken>\`. Every event is one text frame \`{id, event, at, data}\` of at most 32 KB. It is delivered at least once (its \`id\` tells repetitions), and only to users who may see the record. The schemas \`ReceivedFrame\` and \`SentFrame\` describe every frame; \`GET /api/asyncapi.json\` describes them as an AsyncAPI document.

| Event | What happened |
|---|---|
${eventRows.join('\n')}

Frames a client can send:

| Frame | Answer |
|---|---|
| \`{"action": "ping"}\` | \`pong\` |
| \`{"action": "authenticate", "token": "<socketToken>"}\` | \`authenticated\`: the connection is extended with the socket token of a refresh |
| \`{"action": "resume", "since": "<id of the last event seen>"}\` | what was missed in the last 24 hours, in order, then \`resumed\`; or \`resync_required\`: load everything anew |
`.trim();
