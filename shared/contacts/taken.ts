import { Failure } from '../kernel/failure.ts';

/** What belongs to another contact; several may have an email address, but not without seeing each other. */
const texts = {
  phone: { title: 'Phone number taken', what: 'phone number' },
  email: { title: 'Email address taken', what: 'email address' },
  externalId: { title: 'External id taken', what: 'externalId' },
} as const;

/** The 409 for what another contact has. Source: decisions 6, "Phone numbers". */
export class Taken extends Failure {
  readonly what: keyof typeof texts;
  /** The contact that has it. */
  readonly contactId: string;

  /** @param isNamed whether the response names the contact. */
  constructor(what: keyof typeof texts, contactId: string, { isNamed }: { isNamed: boolean }) {
    super('CONFLICT', `Another contact of this organization already has this ${texts[what].what}.`, {
      title: texts[what].title,
      details: isNamed ? { contactId } : {},
    });
    this.what = what;
    this.contactId = contactId;
  }
}
