import * as demo from '../../shared/demo-ids.ts';
import { dataAnswer } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changedOrganization, inNamedOrganization } from '../../shared/organizations/named-organization.ts';
import { SessionConfigAnswer } from '../../shared/organizations/session-config-answer.ts';
import { configured, SessionSettings } from '../../shared/organizations/session-settings.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/session-settings',
  summary: 'Update the session settings of an organization',
  description:
    'Partial: a key that is absent stays. For an ADMIN of the organization, and a SUPERADMIN; another organization than the own one is 403 for an ADMIN, whether it exists or not. Holds for the next login, registration or refresh: tokens that are out live as long as they were made for.',
  family: 'organizations',
  allow: 'ADMIN',
  body: SessionSettings,
  meanings: {
    enabled: 'Whether clients apply the policy at all.',
    idleTimeoutMinutes: 'Minutes without activity after which a client ends the session: 1 to 1440.',
    tokenExpiryHours: 'Hours that an access token lives: 0.001 to 24, fractions included.',
    warningTimeMinutes:
      'Minutes before the idle timeout at which a client warns; less than `idleTimeoutMinutes`.',
    idleTrackingEnabled: 'Whether clients watch for activity.',
    ssoSilentRenewalEnabled: 'Whether a session begun by single sign-on is renewed without asking.',
    ssoFallbackBehavior: 'What a client does when that fails.',
    passwordSilentRenewalEnabled: 'Whether a session begun with a password is renewed without asking.',
    passwordFallbackBehavior: 'What a client does when that fails.',
  },
  output: dataAnswer(SessionConfigAnswer),
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization },
    body: { idleTimeoutMinutes: 60, warningTimeMinutes: 10, tokenExpiryHours: 0.5 },
  },
  uses: { organizations: 'write', table: 'read' },
  async run({ path, body }, { organizations, caller, now, random }) {
    const table = inNamedOrganization(organizations, caller, path.organizationId);
    const { sessionConfig } = await changedOrganization(
      table,
      (before) =>
        Object.keys(body).length === 0 ? {} : { sessionConfig: configured(before.sessionConfig, body) },
      { now, random },
    );
    return { success: true as const, data: sessionConfig };
  },
});
