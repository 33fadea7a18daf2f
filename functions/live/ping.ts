import { socketOperation } from '../../shared/kernel/trigger.ts';

/**
 * The gateway could reply by itself, without a function. But its templates have no time in RFC 3339 and no ids like ours, which every frame has
 * (decisions 11), and its messages and its log are most of the price: see `npm run bench:scale`.
 */
export default socketOperation({
  on: 'ping',
  summary: 'Keep an idle connection open: without a frame, it is closed after 10 minutes',
  replies: ['pong'],
  uses: {},
  async run() {
    return { event: 'pong', data: {} };
  },
});
