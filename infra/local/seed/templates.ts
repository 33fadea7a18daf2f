import * as demo from '../../../shared/demo-ids.ts';
import { type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { type StoredTemplate, templateKey, visibilityOf } from '../../../shared/templates/template.ts';
import type { Founded } from './accounts.ts';
import type { Randomness } from './randomness.ts';

type Sample = Pick<StoredTemplate, 'name' | 'template' | 'type' | 'category'> & { readonly _id?: string };

const shared: readonly Sample[] = [
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

const own: Sample = {
  name: 'My follow-up',
  type: 'sms',
  category: 'Follow-up',
  template: 'Hi {{firstName}}, did you have time to look at the offer?',
};

/** Templates of the organization, and one of each user's own. */
export function templateSteps(
  table: TableWriter,
  { organization, users }: Founded,
  random: Randomness,
  at: Date,
): Step[] {
  const made: Timestamp = timestamp(at);
  const step = (sample: Sample, userId: string, isShared: boolean) => {
    const template: StoredTemplate = {
      _id: random.idAt(at),
      organizationId: organization._id,
      userId,
      ...sample,
      isShared,
      createdAt: made,
      updatedAt: made,
    };
    return table.add(templateKey(visibilityOf(template), template._id), template);
  };
  const [maker] = users;
  return [
    ...shared.map((sample) => step(sample, maker?._id ?? '', true)),
    ...users.map(({ _id }) => step(own, _id, false)),
  ];
}
