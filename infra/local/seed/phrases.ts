import type { Channel, Direction } from '../../../shared/conversations/conversation.ts';

/** Messages in turn. `{first}` stands for the contact's first name, `{user}` for that of the user who writes. */
export type Dialogue = readonly (readonly [Direction, string])[];

export const dialogues: Record<Channel, readonly Dialogue[]> = {
  sms: [
    [
      ['inbound', 'Hi, is the order from last week on its way?'],
      [
        'outbound',
        'Hello {first}, it left our warehouse this morning. You get a tracking link today. {user}',
      ],
      ['inbound', 'Great, thanks! Can I still change the delivery address?'],
      ['outbound', 'Yes, until 18:00. Just text me the new one.'],
      ['inbound', 'Please send it to the shop instead of the office.'],
      ['outbound', 'Done. Have a nice day!'],
    ],
    [
      ['outbound', 'Hello {first}, {user} from Bluebird here. Did the samples arrive?'],
      ['inbound', 'They did 👍 the blue one is exactly what we were looking for'],
      ['outbound', 'Wonderful! Shall I prepare an offer for 200 pieces?'],
      ['inbound', 'Make it 250 please, and tell me the price with delivery.'],
    ],
  ],
  email: [
    [
      ['inbound', 'Dear team,\n\ncould you send me your current price list?\n\nKind regards\n{first}'],
      [
        'outbound',
        'Dear {first},\n\nyou find it under the link below. Which quantities do you need?\n\n{user}',
      ],
      ['inbound', 'About 40 boxes a month to begin with. Do you offer a discount for regular orders?'],
      ['outbound', 'From 30 boxes a month on it is 8 %. I attach a contract for you to look at.'],
    ],
    [
      [
        'outbound',
        'Dear {first},\n\nit was a pleasure to meet you at the fair. May I call you this week?\n\n{user}',
      ],
      ['inbound', 'Thursday after 14:00 suits me well.'],
      ['outbound', 'Thursday 14:30 it is. Talk to you then!'],
    ],
  ],
  webchat: [
    [
      ['inbound', 'hello, do you ship abroad?'],
      ['outbound', 'Hi {first}! We do, to 34 countries. Where are you?'],
      ['inbound', 'just across the border. how long does it take?'],
      ['outbound', 'Two to four days.'],
      ['inbound', 'perfect, then I will order today'],
    ],
    [
      ['inbound', 'The form on your page tells me that my postcode is wrong. It is not :)'],
      ['outbound', 'Sorry for that, {first}! I am looking into it. What is the postcode?'],
    ],
  ],
  voice: [
    [
      ['inbound', 'Voicemail, 0:42: “Hello, this is {first}. Please call me back about the invoice.”'],
      ['outbound', 'Call, 3 min: went through the invoice together; a corrected one follows by email.'],
      ['inbound', 'Call, 1 min: the corrected invoice has arrived, all is well.'],
    ],
  ],
};

/** A dialogue in which the contact opts out of text messages. */
export const optOut: Dialogue = [
  ['outbound', 'Hello {first}, the new price list is out. Shall I send you a copy? {user}'],
  ['inbound', 'STOP'],
];

/** Notes of the users who work with a contact. */
export const notes = [
  'Prefers to be called in the morning.',
  'Decides together with a partner; always send offers to both.',
  'Asked for **samples** of the new collection.',
  'Budget is fixed until the end of the quarter. Ask again in the first week of the next one.',
  'Very happy with the last delivery. Good candidate for a reference.',
  '- wants monthly invoices\n- pays within 10 days\n- no calls on Fridays',
];

/** Notes that ask a colleague for something; the name follows the @. */
export const requests = [
  'could you take over while I am away next week?',
  'is 12 % off all right for an order of this size?',
  'please have a look at the offer before I send it.',
];
