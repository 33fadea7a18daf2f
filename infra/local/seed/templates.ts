import createTemplate from '../../../functions/templates/create-template.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { accounts } from './accounts.ts';
import type { Past } from './past.ts';

const shared = [
  {
    _id: demo.template,
    name: 'Welcome',
    type: 'sms',
    category: 'First contact',
    template: 'Hi {{firstName}}, thank you for your interest! When may we call you?',
  },
  {
    name: 'Appointment tomorrow',
    type: 'sms',
    category: 'Appointments',
    template: 'Hi {{firstName}}, a short reminder of our call tomorrow.',
  },
  {
    name: 'Spring offer',
    type: 'campaign',
    category: 'Offers',
    template: 'Dear {{fullName}}, until the end of the month our packages cost a fifth less.',
  },
  {
    name: 'First call',
    type: 'script',
    category: 'Calls',
    template:
      'Good morning, am I speaking with {{fullName}}? …\n\n1. Ask what they use today.\n2. Ask what it costs them.',
  },
  {
    _id: demo.spareTemplate,
    name: 'Missed call',
    type: 'automation',
    category: 'Calls',
    template: 'Sorry we missed you, {{firstName}}. We will call back within the hour.',
  },
];

const own = {
  name: 'My follow-up',
  type: 'sms',
  category: 'Follow-up',
  template: 'Hi {{firstName}}, did you have time to look at the offer?',
};

/** Creates templates that the admin shares, and one for each user alone. */
export async function createTemplates(past: Past, at: Date): Promise<void> {
  for (const { _id, ...template } of shared) {
    await past.run(createTemplate, { at, by: demo.admin, body: { ...template, isShared: true }, ids: [_id] });
  }
  for (const { _id } of accounts) {
    await past.run(createTemplate, { at, by: _id, body: own });
  }
}
