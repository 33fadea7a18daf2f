import { socketOperation } from '../../shared/kernel/trigger.ts';

export default socketOperation({
  on: 'ping',
  summary: 'Keep an idle connection open: it is closed after 10 minutes without a frame',
  replies: ['pong'],
  uses: {},
  async run() {
    return { event: 'pong', data: {} };
  },
});
