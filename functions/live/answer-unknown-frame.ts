import { socketOperation } from '../../shared/kernel/trigger.ts';
import { errorFrame } from './model/replies.ts';

export default socketOperation({
  on: '$default',
  summary: 'Say which frames there are to whoever sends another',
  uses: {},
  async run() {
    return errorFrame('A frame is a JSON object whose action is "ping", "authenticate" or "resume".');
  },
});
