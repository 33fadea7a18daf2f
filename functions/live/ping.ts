import { socketOperation } from '../../shared/kernel/trigger.ts';

export default socketOperation({
  on: 'ping',
  summary: 'Keep a quiet connection open: API Gateway ends one after 10 minutes without a frame',
  answers: ['pong'],
  uses: {},
  async run() {
    return { event: 'pong', data: {} };
  },
});
