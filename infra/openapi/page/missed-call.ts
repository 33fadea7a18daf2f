import { element } from './element.ts';
import { onClick, type Tell } from './panel.ts';
import { sendRequest } from './request.ts';

/** The pause between two checks of a text that is on its way, and how often to check. */
const [pause, looks] = [500, 60];

/** Why there is no text. */
const reasons: Readonly<Record<string, string>> = {
  cooldown: 'this number got one a short while ago. Try another number.',
  opted_out: 'the contact has opted out of texts.',
  no_number: 'there is no number to send it from or to.',
  switched_off: 'the missed-call message is switched off.',
  no_message: 'the missed-call message is empty.',
  deleted: 'somebody deleted the text before it was sent.',
  daily_limit: 'the organization has reached its daily limit of text messages.',
  closed: 'the organization is closed, and its policy sends texts only while it is open.',
  open: 'the organization is open, and its policy sends texts only while it is closed.',
};

/** Lets the reader simulate a missed call, and shows the status of the text to the caller. */
export function playMissedCalls(tokenNow: () => string | undefined): void {
  const number = element('missed-call-number') as HTMLInputElement;
  onClick({ button: 'missed-call-play', list: 'missed-call-steps' }, tokenNow, (token, tell) =>
    playOne({ token, tell }, number.value),
  );
}

interface Stage {
  readonly token: string;
  readonly tell: Tell;
}

async function playOne(stage: Stage, callerNumber: string): Promise<void> {
  const { call } = await sendRequest(stage.token, '/api/calls/sdk/missed', { callerNumber });
  const { outcome, reason, messageId, sendAt } = call.missedCall;
  stage.tell(`The call from ${call.from ?? 'a withheld number'} ended: ${call.status}.`);
  if (outcome === 'scheduled') {
    stage.tell(`The text waits for the next opening, ${new Date(sendAt).toLocaleString()}.`);
  } else if (messageId === undefined) {
    stage.tell(`No text: ${reasons[reason] ?? reason}`);
  } else {
    await follow(stage, call.contactId, messageId);
  }
}

/** Shows the text, and its status until it has left the queue. */
async function follow(stage: Stage, contactId: string, messageId: string): Promise<void> {
  const of = `contactId=${encodeURIComponent(contactId)}`;
  const { data } = await sendRequest(stage.token, `/api/conversations?channel=sms&${of}`);
  if (data.length === 0) {
    stage.tell('The text is queued; you cannot see its conversation.');
    return;
  }
  const messages = `/api/conversations/${encodeURIComponent(data[0]._id)}/messages`;
  let step: HTMLElement | undefined;
  for (let look = 0; look < looks; look += 1) {
    const { data: all } = await sendRequest(stage.token, messages);
    const message = all.find(({ _id }: { _id: string }) => _id === messageId);
    step ??= stage.tell('');
    step.textContent = `Text “${message.content}”: ${message.status}.`;
    if (message.status !== 'queued') {
      return;
    }
    await new Promise((done) => setTimeout(done, pause));
  }
  stage.tell('Still queued after 30 seconds.');
}
