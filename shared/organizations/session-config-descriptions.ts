export const sessionConfigDescriptions = {
  enabled: 'Whether clients apply the policy at all.',
  idleTimeoutMinutes: 'Minutes without activity after which a client ends the session.',
  tokenExpiryHours: 'Hours that an access token lives, fractions included.',
  warningTimeMinutes:
    'Minutes before the idle timeout at which a client warns; less than `idleTimeoutMinutes`.',
  idleTrackingEnabled: 'Whether clients watch for activity.',
  ssoSilentRenewalEnabled: 'Whether a session begun by single sign-on is renewed without asking.',
  ssoFallbackBehavior: 'What a client does when that fails.',
  passwordSilentRenewalEnabled: 'Whether a session begun with a password is renewed without asking.',
  passwordFallbackBehavior: 'What a client does when that fails.',
};
