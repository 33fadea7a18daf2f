import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { newestFirst } from '../dataset.ts';
import { generatedContacts } from '../generated-contacts.ts';
import { searchesOver } from './expected-boards.ts';
import { type Organizations, password } from './organizations.ts';
import type { Subject } from './requests.ts';

/** The contacts of the full organization, newest first. */
export function contactsOf({ full, accounts }: Organizations, count: number): StoredContact[] {
  const { organizationId, pipelineId, stages, adminId } = full;
  const wanted = {
    count,
    organizationId,
    stages: stages.map(({ _id }) => ({ pipelineId, stageId: _id })),
    users: [adminId, ...accounts.slice(0, 3).map(({ userId }) => userId)],
    seed: 20_260_101,
    now: new Date(),
  };
  return [...generatedContacts(wanted)].sort(newestFirst);
}

/** Contacts that are edited and moved, and that write: enough that no two concurrent requests are about the same one. */
const changedContacts = 4_000;

/** The data of requests to the full organization, without the tokens. */
export function subjectOf(
  { full, accounts, configurationId, number }: Organizations,
  contacts: readonly StoredContact[],
): Omit<Subject, 'tokens'> {
  const stageIds = full.stages.map(({ _id }) => _id);
  const withNumber = contacts.filter(({ phoneNumbers }) => phoneNumbers.length > 0);
  const step = Math.max(1, Math.floor(withNumber.length / changedContacts));
  return {
    stageIds,
    contacts: withNumber
      .filter((_, index) => index % step === 0)
      .map(({ _id: id, stageId, phoneNumbers: [first] }) => ({
        id,
        stage: stageIds.indexOf(stageId),
        ...(first === undefined ? {} : { number: first.value }),
      })),
    accounts: accounts.map(({ email }) => ({ email, password })),
    nodeHashLogin: '/api/auth/login',
    configurationId,
    organizationNumber: number,
    searches: searchesOver(contacts),
    parts: partsOf(contacts),
  };
}

/** All trigrams of the names. */
function partsOf(contacts: readonly StoredContact[]): string[] {
  const parts = new Set<string>();
  for (const name of new Set(contacts.flatMap(({ firstName, lastName }) => [firstName, lastName]))) {
    for (let index = 0; index + 3 <= name.length; index += 1) {
      parts.add(name.slice(index, index + 3).toLowerCase());
    }
  }
  return [...parts];
}
