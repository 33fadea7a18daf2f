import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { readEveryPreference } from './model/all-preferences.ts';
import { NotificationPreferencesResponse } from './model/preference-fields.ts';

export default operation({
  route: 'GET /api/user/notification-preferences',
  summary: 'Read your notification preferences',
  description: 'Your preferences in the organization that you act in.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(NotificationPreferencesResponse),
  uses: { table: 'read' },
  async run(_, { table, caller }) {
    return ok({ data: await readEveryPreference(table, caller.userId) });
  },
});
