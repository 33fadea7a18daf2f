import { type BusinessHours, businessHours } from '../../shared/organizations/business-hours.ts';
import { missedCallMessage } from '../../shared/organizations/missed-call-message.ts';
import { type MissedCallPolicy, missedCallPolicy } from '../../shared/organizations/missed-call-policy.ts';
import type { Product } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import type { CallRecord } from './client.ts';
import { messagesIn, readRecords } from './consistency.ts';
import { newVoiceClient } from './reports.ts';

/** An organization that texts the callers of missed calls, and a number of it. */
export async function newTextingOrganization(product: Product) {
  const admin = await product.newOrganization();
  const voice = await newVoiceClient(product, admin, admin);
  const { table } = product.tableOf(admin.organizationId);
  const { token, organizationId } = admin;

  /** Sets what decides on the text for a missed call; what is not stated is as at first. */
  async function set(
    settings: {
      policy?: Partial<MissedCallPolicy>;
      hours?: Partial<BusinessHours>;
      message?: string;
      isSwitchedOn?: boolean;
    } = {},
  ) {
    const {
      policy,
      hours,
      message = 'Sorry we missed you, {{contactName}}.',
      isSwitchedOn = true,
    } = settings;
    await table.commit([
      table.put(missedCallPolicy.key, { ...missedCallPolicy.initial, ...policy }),
      table.put(businessHours.key, { ...businessHours.initial, ...hours }),
      table.put(missedCallMessage.key, {
        missedCallMessage: message,
        missedCallAutoMessageEnabled: isSwitchedOn,
      }),
    ]);
  }
  await set();
  const read = async (callId: string): Promise<CallRecord> =>
    expectStatus(await product.call('read-call', { token, path: { callId } }), 200).data;
  return {
    admin,
    voice,
    set,
    /** A call of this number that nobody answered; its record. */
    async missed(From: string, at?: Date): Promise<CallRecord> {
      const { data } = expectStatus(await voice.report({ From, CallStatus: 'no-answer' }, { at }), 200);
      return read(data.callId);
    },
    read,
    /** The texts of the organization. */
    async texts() {
      return messagesIn(await readRecords(product, organizationId));
    },
  };
}
