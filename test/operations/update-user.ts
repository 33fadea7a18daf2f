import { accessCase, inTurn } from '../harness/tenants.ts';

const preference = inTurn('first_unread', 'latest');

export default accessCase({
  subject: 'shared',
  request: (_, by) => ({ path: { id: by.userId }, body: { conversationOpenPreference: preference() } }),
});
