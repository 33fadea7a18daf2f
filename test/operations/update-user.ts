import { inTurn, row } from '../harness/world.ts';

const preference = inTurn('first_unread', 'latest');

export default row({
  about: 'shared',
  request: (_, by) => ({ path: { id: by.userId }, body: { conversationOpenPreference: preference() } }),
});
