import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { accounts, logInElsewhere, registerPeople } from './accounts.ts';
import { demoContacts } from './demo-contacts.ts';
import { callUnknownNumbers, writeHistoryOfAda } from './example-records.ts';
import { writeHistory } from './history.ts';
import { inParallel } from './in-parallel.ts';
import { runNamedWorkflows } from './named-runs.ts';
import { writeNotes } from './notes.ts';
import { tellOfMissedCalls } from './notifications.ts';
import { setUp } from './organization.ts';
import { changeOutreachConfigurations, createOutreachConfigurations } from './outreach.ts';
import type { Past } from './past.ts';
import { scheduleText } from './scheduled-text.ts';
import { followWithWorkflows } from './team-day.ts';
import { createTemplates } from './templates.ts';
import { createWorkflows } from './workflows.ts';

/** How long the demo organization has existed: longer than its oldest contact. */
const history = 120 * day;

/** Writes an organization with people in departments, and contacts in every stage with notes and conversations. */
export async function writeDemo(past: Past, password: string): Promise<void> {
  const { now } = past;
  const foundedAt = after(now, -history);
  await registerPeople(past, password, foundedAt);
  await setUp(past, foundedAt);
  await createOutreachConfigurations(past, foundedAt);

  const settled = past.settled();
  const contacts = demoContacts(now);
  await Promise.all([
    logInElsewhere(past.beside(6), password),
    createTemplates(past.beside(3), foundedAt),
    createWorkflows(past.beside(4), foundedAt),
    callUnknownNumbers(settled.beside(5)),
    inParallel(contacts, (contact) => {
      const own = settled.beside(3_000 + contacts.indexOf(contact));
      return contact._id === demo.ada
        ? writeHistoryOfAda(own, contact).then(() => scheduleText(own))
        : writeHistory(own, contact);
    }),
  ]);
  await changeOutreachConfigurations(past);
  const others = contacts.filter(({ _id }) => _id !== demo.ada);
  await writeNotes(settled, others);
  await runNamedWorkflows(settled.beside(7), contacts);
  await followWithWorkflows(settled, contacts);
  for (const { _id } of accounts) {
    await tellOfMissedCalls(settled, _id);
  }
}
