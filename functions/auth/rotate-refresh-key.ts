import { withCurrentRefreshKey } from '../../shared/kernel/auth/signing-secret.ts';
import { scheduleOperation } from '../../shared/kernel/trigger.ts';

/** Only functions that hold the secret verify refresh tokens, so that this key needs no deployment, unlike the keys of other tokens. */
export default scheduleOperation({
  on: { everyMinutes: 720 },
  summary: 'Replace the key that makes refresh tokens every 31 days; those of the key before it stay valid',
  uses: { signingSecret: 'rotate' },
  async run({ signingSecret, now }) {
    let rotated = 0;
    await signingSecret.change((existing) => {
      const secret = existing && withCurrentRefreshKey(existing, now);
      rotated = secret === existing ? 0 : 1;
      return secret;
    });
    return { rotated };
  },
});
