import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { changeOrganization } from './model/organization-record.ts';
import {
  configured,
  SessionSettings,
  SessionSettingsResponse,
  sessionSettingsDescriptions,
} from './model/session-settings.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/session-settings',
  summary: 'Update the session settings of an organization',
  description:
    'Fields you leave out keep their value. Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists, and so does every API key. Takes effect with the next login, registration or refresh; tokens already issued keep their lifetime. Who needs a second factor by `factorRequiredFor` and has none gets, with that, a session that can only set one up: every operation but those of `/api/auth/factors` is 403, and its `socketToken` opens nothing.',
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  isClosedToKeys: true,
  body: SessionSettings,
  descriptions: sessionSettingsDescriptions,
  output: dataResponse(SessionSettingsResponse),
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization },
    body: { idleTimeoutMinutes: 60, warningTimeMinutes: 10, tokenExpiryHours: 0.5 },
  },
  uses: { table: 'write' },
  async run({ body }, { table, now, newId }) {
    const { sessionConfig } = await changeOrganization(
      table,
      (before) =>
        Object.keys(body).length === 0 ? {} : { sessionConfig: configured(before.sessionConfig, body) },
      { now, newId },
    );
    return ok({ data: sessionConfig });
  },
});
