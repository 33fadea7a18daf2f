import { dueOperation } from '../../shared/events/due-operation.ts';
import { sendScheduledText } from './model/send-scheduled-text.ts';

export default dueOperation({
  on: 'missedCallText',
  summary: 'Send the text to the caller of a missed call at the next opening',
  uses: { organizations: 'write', platform: 'write', identity: 'read', trialPolicy: 'read' },
  run: (entry, { organizations, platform, identity, trialPolicy, ...clock }) =>
    sendScheduledText(entry, { organizations, platform, identity, trialPolicy }, clock),
});
