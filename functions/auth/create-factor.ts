import * as z from 'zod/mini';
import { Failure, Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { secretShown, secretShownMeaning, shownOnce } from '../../shared/kernel/schemas/shown-once.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { type Factor, factorKey, factorSecretLocation, factorTypes } from './model/factors/factor.ts';
import { newSecret, totpUri } from './model/factors/totp.ts';
import { shareOfUser } from './model/shares.ts';

export default operation({
  route: 'POST /api/auth/factors',
  summary: 'Set up a second factor',
  description:
    'Makes a secret for an app that shows codes. Show `uri` as a QR code, then send the first code of the app to `POST /api/auth/factors/{id}/confirm`: until then, a login asks for the password alone. A user has one factor. Setting up another replaces one that is not confirmed; if one is confirmed, the response is 409: delete it first. Setting up and confirming are open to a session that may do nothing else because the organization requires a second factor.',
  family: 'auth',
  minimumRole: 'SALES_REP',
  setsUpFactor: true,
  status: 201,
  body: z.object({ type: z.enum(factorTypes) }),
  descriptions: { type: '`totp`: an app that makes a code of six digits every 30 seconds (RFC 6238).' },
  output: described(
    z.object({
      _id: anyString,
      secret: shownOnce(anyString),
      uri: shownOnce(anyString),
      secretShown: secretShown(),
    }),
    {
      _id: 'The id of the factor.',
      secret: 'The secret in base32, for apps without a camera. No other response has it.',
      uri: 'The same as an `otpauth://` address, for a QR code.',
      secretShown: secretShownMeaning,
    },
    { id: 'NewFactor', description: 'A second factor that is not confirmed yet.' },
  ),
  failures: ['CONFLICT'],
  example: { body: { type: 'totp' } },
  share: shareOfUser,
  uses: { identity: 'write', organizations: 'read', secrets: 'seal' },
  async run({ body }, { identity, organizations, secrets, caller, now, newId }) {
    const { userId, homeOrganizationId } = caller;
    const [_id, secret, key] = [newId(), newSecret(), factorKey(userId)];
    const factor: Factor = {
      _id,
      type: body.type,
      secret: await secrets.seal(
        secret,
        factorSecretLocation({ _id: userId, organizationId: homeOrganizationId }),
      ),
      createdAt: timestamp(now),
      recoveryCodes: [],
    };
    return identity.optimistically(async () => {
      const [user, existing] = await Promise.all([
        organizations(homeOrganizationId).read(userKey(userId)),
        identity.read(key),
      ]);
      if (user === undefined || user.data.disabled) {
        throw new Refused('invalid');
      }
      if (existing?.data.confirmedAt !== undefined) {
        throw new Failure('CONFLICT', 'You have a second factor. Delete it before you set up another.');
      }
      await identity.commit([
        existing === undefined ? identity.add(key, factor) : identity.replace(existing, factor),
      ]);
      return { _id, secret, uri: totpUri(secret, user.data.email) };
    });
  },
});
