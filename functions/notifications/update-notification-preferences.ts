import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { changePreferences } from './model/all-preferences.ts';
import {
  NotificationPreferenceFields,
  NotificationPreferencesResponse,
  preferenceDescriptions,
} from './model/preference-fields.ts';

export default operation({
  route: 'PUT /api/user/notification-preferences',
  summary: 'Update your notification preferences',
  description:
    'Fields you leave out, or send as null, keep their value. Other fields with true or false are kept too, at most 50: they are your own, and the service does not use them. A notification is stored, and sent over open sockets, only if the preference of its kind is true when it is stored, usually within seconds of its cause; a mention always. Notifications that are stored already stay.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: NotificationPreferenceFields,
  descriptions: preferenceDescriptions,
  output: changeResponse(NotificationPreferencesResponse),
  example: { body: { campaigns: false, emailSync: false } },
  uses: { table: 'write' },
  async run({ body }, { table, caller }) {
    const data = await changePreferences(table, caller.userId, body);
    return ok({ message: 'Notification preferences updated', data });
  },
});
