import * as z from 'zod/mini';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { secretShown, secretShownMeaning, shownOnce } from '../../shared/kernel/schemas/shown-once.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { factorChangeActions } from './model/factors/factor-change.ts';
import { acceptCode, newRecoveryCodes, readOwnFactor, recoveryDigest } from './model/factors/factor-check.ts';
import { SentCode, wrongCode } from './model/factors/factor-response.ts';
import { authLimits } from './model/login-policy.ts';
import { requestDevice } from './model/sessions.ts';
import { shareOfUser } from './model/shares.ts';

export default operation({
  route: 'POST /api/auth/factors/{id}/confirm',
  summary: 'Confirm a second factor',
  description:
    'Takes the code that the app shows, from which on every login asks for one. Returns ten recovery codes, each of which works once in place of a code: no other response has them. A wrong code is 400 with the code `WRONG_CODE`; after 10 within a day, the response is 429 for 1 minute, then 2, 4, 8 and so on, and `Retry-After` says for how many seconds. Your sessions stay as they are; if the organization required a second factor of you, refresh the session, which may then do everything.',
  family: 'auth',
  minimumRole: 'SALES_REP',
  setsUpFactor: true,
  body: z.object({ code: SentCode }),
  descriptions: {
    id: 'The `_id` of the factor that you have set up.',
    code: 'The six digits that the app shows.',
  },
  output: described(
    z.object({ recoveryCodes: shownOnce(z.array(anyString)), secretShown: secretShown() }),
    {
      recoveryCodes: 'Ten codes for a user without the app. Keep them where only the user finds them.',
      secretShown: secretShownMeaning,
    },
    { id: 'RecoveryCodes', description: 'The recovery codes of a second factor.' },
  ),
  failures: ['WRONG_CODE', 'NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  example: { path: { id: '01KF0EY6SKVRTJ88B872195D29' }, body: { code: '492039' } },
  share: shareOfUser,
  limits: [authLimits.code],
  uses: { identity: 'write', organizations: 'write', secrets: 'open' },
  async run({ path, body, headers, sourceIp }, { identity, organizations, secrets, caller, now, newId }) {
    const { userId, homeOrganizationId } = caller;
    const table = organizations(homeOrganizationId);
    return identity.optimistically(async () => {
      const { user, factor, wrongCodes } = await readOwnFactor({ table, identity }, userId, path.id);
      if (factor.data.confirmedAt !== undefined) {
        throw new Failure(
          'CONFLICT',
          'The factor is confirmed already. If you did not get its recovery codes, delete it and set up another.',
        );
      }
      const accepted = await acceptCode(
        { identity, secrets, now },
        { user: user.data, factor: factor.data, wrongCodes },
        body.code,
        wrongCode,
      );
      const recoveryCodes = newRecoveryCodes();
      const confirmed = {
        ...accepted.after,
        confirmedAt: timestamp(now),
        recoveryCodes: recoveryCodes.map(recoveryDigest),
      };
      await identity.commit([
        identity.replace(factor, confirmed),
        accepted.action,
        ...factorChangeActions(
          { identity, table, now, newId },
          user,
          factor.data._id,
          requestDevice({ headers, sourceIp }),
        ),
      ]);
      return { recoveryCodes };
    });
  },
});
