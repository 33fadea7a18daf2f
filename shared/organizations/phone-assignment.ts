import type { IdentityKey, Key, Range } from '../table/key.ts';
/** A phone number that a user calls and writes from. */
export interface PhoneAssignment {
  /** The name of the number's provider. */
  provider: string;
  /** E.164. */
  phoneNumber: string;
  /** The number of the user's calls and outbound messages; at most one for each user. */
  isDefault: boolean;
  /** Whether inbound calls to the number ring for the user. */
  isInboundEnabled: boolean;
  label: string;
}

/** All numbers of a user, in the order of their assignment. In one record, whose version alone keeps the default unique. */
export interface UserNumbers {
  userId: string;
  numbers: PhoneAssignment[];
}

/** The owner of a number, stored under the number as its lock on the whole platform. */
export interface NumberOwner {
  organizationId: string;
  userId: string;
  provider: string;
  /** Signs the provider's webhook calls; absent if these are not signed. Never in a response, never logged. */
  secret?: string;
}

export const userNumbersKey = (userId: string): Key<UserNumbers> => ({
  partition: [],
  sort: ['NUMBERS', userId],
});

export const userNumbersRange = (): Range<UserNumbers> => ({ partition: [], under: ['NUMBERS'] });

/** Locks a phone number, which only one user on the platform can have. */
export const numberOwnerKey = (value: string): IdentityKey<NumberOwner> => ({
  partition: ['PHONE_NUMBER', value],
  sort: ['PHONE_NUMBER'],
});
