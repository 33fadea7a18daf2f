import { PhoneNumber } from '../../../../shared/contacts/phone-number-field.ts';
import type { NewcomerPolicy } from '../../../../shared/organizations/newcomer-policy.ts';
import { assignmentsOf, defaultAssignment } from '../../../../shared/organizations/phone-assignments.ts';
import { textPolicyOf, textSettings } from '../../../../shared/organizations/text-settings.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Problem, problemAt, quoted } from './problem.ts';

/** Where to look up the numbers that the owner of a workflow may send from. */
export interface SenderSources {
  readonly table: TableReader;
  readonly newcomerPolicy: NewcomerPolicy;
}

/** The numbers that the steps of a graph send from. */
interface Senders {
  readonly named: readonly { readonly nodeId: string; readonly path: string; readonly id: string }[];
  /** Whether a step sends from the owner's default number. */
  readonly byDefault: boolean;
}

/** What is wrong with the numbers that steps send from: of the whole workflow first. In one round trip. */
export async function numberProblems(
  { table, newcomerPolicy }: SenderSources,
  ownerId: string,
  { named, byDefault }: Senders,
): Promise<Problem[]> {
  if (named.length === 0 && !byDefault) {
    return [];
  }
  const [numbers, settings] = await Promise.all([
    assignmentsOf(table, ownerId),
    byDefault ? table.read(textSettings.key, { consistent: false }) : undefined,
  ]);
  const { standardSender } = textPolicyOf(settings?.data, newcomerPolicy);
  const active = new Set(
    numbers.filter(({ status }) => status === 'active').map(({ phoneNumber }) => phoneNumber),
  );
  const isLacking = byDefault && !standardSender && defaultAssignment(numbers) === undefined;
  return [
    ...(isLacking ? [problemAt(null)('warning', nothingToSendFrom)] : []),
    ...named
      .filter(({ id }) => !active.has(PhoneNumber.safeParse(id).data ?? ''))
      .map(({ nodeId, path, id }) =>
        problemAt(nodeId)(
          'error',
          `${path}: ${quoted(id)} is not one of the active phone numbers of the owner of this workflow.`,
        ),
      ),
  ];
}

const nothingToSendFrom =
  'The owner of this workflow has no active default phone number. Steps that send a text from it fail, unless the contact has written to a number of the organization.';
