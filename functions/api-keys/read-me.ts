import * as z from 'zod/mini';
import { Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { apiKeyKey, apiKeyUseKey } from '../../shared/organizations/api-key.ts';
import { organizationKey } from '../../shared/organizations/organization.ts';
import {
  OrganizationResponse,
  toOrganizationResponse,
} from '../../shared/organizations/organization-response.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { toUserResponse, UserResponse } from '../../shared/organizations/user-response.ts';
import { ApiKeyResponse, toApiKeyResponse } from './model/api-key-response.ts';

export default operation({
  route: 'GET /api/me',
  summary: 'Read who you are',
  tool: { name: 'read_me', when: 'To learn whom you act for, and what your API key may do.' },
  description:
    'Your user, the organization that you act in, and the API key that the request was sent with, if it was one: a program asks this to try its key.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(
    described(
      z.object({ user: UserResponse, organization: OrganizationResponse, key: z.optional(ApiKeyResponse) }),
      {
        user: 'Your user; with an API key, the user that it acts as.',
        organization: 'The organization that you act in.',
        key: 'The API key of the request; absent for an access token.',
      },
    ),
  ),
  uses: { organizations: 'read', identity: 'read' },
  async run(_, { organizations, identity, caller }) {
    const { userId, homeOrganizationId, organizationId } = caller;
    const home = organizations(homeOrganizationId);
    const [user, organization, key, use] = await Promise.all([
      home.read(userKey(userId)),
      organizations(organizationId).read(organizationKey()),
      caller.key && home.read(apiKeyKey(caller.key.id)),
      caller.key && identity.read(apiKeyUseKey(homeOrganizationId, caller.key.id), { consistent: false }),
    ]);
    if (user === undefined || user.data.disabled || organization === undefined) {
      throw new Refused('invalid');
    }
    return ok({
      data: {
        user: toUserResponse(user.data),
        organization: toOrganizationResponse(organization.data),
        ...(key && { key: toApiKeyResponse(key.data, use) }),
      },
    });
  },
});
