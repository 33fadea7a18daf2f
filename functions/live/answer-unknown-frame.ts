import { socketOperation } from '../../shared/kernel/trigger.ts';
import { errorFrame } from './model/replies.ts';

export default socketOperation({
  on: '$default',
  summary: 'Tell a client that sends an unknown frame which frames there are',
  uses: {},
  async run() {
    return errorFrame('A frame must be a JSON object whose action is "ping", "authenticate" or "resume".');
  },
});
