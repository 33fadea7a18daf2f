import type { Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';

export type OrganizationsClient = ReturnType<typeof organizationsClient>;

/** Calls the operations on an organization, the caller's own unless another is named, as one person does. */
export function organizationsClient(
  product: Product,
  { token, organizationId }: Person,
  named = organizationId,
  headers: Record<string, string> = {},
) {
  return (name: string, body?: unknown, path: Record<string, string> = {}) =>
    product.call(name, { token, headers, path: { organizationId: named, ...path }, body });
}

/** A new number of the user's; assigning it must succeed. */
export async function assigned(
  client: OrganizationsClient,
  { userId }: Pick<Person, 'userId'>,
  more: Record<string, unknown> = {},
) {
  const body = { userId, provider: 'twilio', phoneNumber: newPhoneNumber(), ...more };
  return expectStatus(await client('assign-phone-number', body), 201).data as Assignment;
}

/** Disables a user of the ADMIN's organization, or enables them again. */
export async function setDisabled(
  product: Product,
  { token }: Person,
  { userId: id }: Person,
  disabled: boolean,
) {
  expectStatus(await product.call('update-user', { token, path: { id }, body: { disabled } }), 200);
}

/** Source: specification, "Phone-number assignment". */
export interface Assignment {
  userId: string;
  userName: string;
  userEmail: string;
  provider: string;
  phoneNumber: string;
  isDefault: boolean;
  isInboundEnabled: boolean;
  label: string;
  status: 'pending' | 'active';
}

/** The numbers of the organization, listed by a SUPERADMIN. */
export async function assignmentsIn(above: OrganizationsClient): Promise<Assignment[]> {
  return expectStatus(await above('list-phone-numbers'), 200).assignments;
}

/** A number as it is stored, for where many are needed. */
export const numberAt = (index: number) => ({
  provider: 'twilio',
  phoneNumber: `+999${index}`,
  isDefault: false,
  isInboundEnabled: true,
  label: '',
  status: 'active' as const,
});

/** The answer of the organization's own operations when something is wrong: `{error, details}`. */
export const problem = (status: number, error: string, details: unknown) => ({
  status,
  body: { error, details },
});
