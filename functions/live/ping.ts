import { socketOperation } from '../../shared/kernel/trigger.ts';

export default socketOperation({
  on: 'ping',
  summary: 'Keep an idle connection open: without a frame, it is closed after 10 minutes',
  replies: ['pong'],
  uses: {},
  async run() {
    return { event: 'pong', data: {} };
  },
});
