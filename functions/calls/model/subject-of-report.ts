import { type Call, callKey, isDiscarded } from '../../../shared/calls/call.ts';
import { isPhoneNumber } from '../../../shared/contacts/read-phone-number.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { isSignedWith, type SignedRequest } from '../../../shared/messages/signed-request.ts';
import { type IncomingCall, type IncomingCallFields, incomingCall, isOfRecording } from './incoming-call.ts';
import { findOwnerOfCall, type OwnerOfCall } from './owner-of-call.ts';
import { readReportedCalls } from './reported-call.ts';

type Reading = Ports<{
  identity: 'read';
  organizations: 'read';
  platform: 'read';
  secrets: 'open';
}> & { readonly now: Date };

/** A report, and whose call it is about. */
export interface SubjectOfReport {
  readonly incoming: IncomingCall;
  readonly found: OwnerOfCall;
}

/** Undefined for a number that nobody has, and for the recording of a call that nobody reported in the last 30 days. */
export function findSubjectOfReport(
  reading: Reading,
  fields: IncomingCallFields,
  request: SignedRequest,
): Promise<SubjectOfReport | undefined> {
  return isOfRecording(fields)
    ? subjectOfRecording(reading, fields, request)
    : subjectOf(reading, incomingCall(fields));
}

async function subjectOf(reading: Reading, incoming: IncomingCall): Promise<SubjectOfReport | undefined> {
  if (!isPhoneNumber(incoming.own)) {
    return undefined;
  }
  const found = await findOwnerOfCall(reading, incoming);
  return found && { incoming, found };
}

/**
 * Anybody can report a call under any id to a number without a secret. So if several organizations have one with the id that the callback
 * of a recording names, it is about that whose secret signs it; if none does, nobody can tell whose it is.
 */
async function subjectOfRecording(
  reading: Reading,
  fields: IncomingCallFields,
  request: SignedRequest,
): Promise<SubjectOfReport | undefined> {
  const { organizations, platform } = reading;
  const reported = await readReportedCalls(platform, incomingCall(fields));
  const known = await Promise.all(
    reported.map(async ({ key: { sort }, data: { callId } }) => {
      const call = (await organizations(sort[0] ?? '').read(callKey(callId)))?.data;
      if (call === undefined || isDiscarded(call)) {
        return undefined;
      }
      const subject = await subjectOf(reading, incomingCall({ ...fields, ...numbersOf(call) }));
      return subject?.found.callId === callId ? subject : undefined;
    }),
  );
  const subjects = known.filter((subject) => subject !== undefined);
  return (
    subjects.find(({ found }) => found.secrets.some((secret) => isSignedWith(secret, request))) ??
    (subjects.length === 1 ? subjects[0] : subjects.find(({ found }) => found.secrets.length > 0))
  );
}

/** The numbers of a call as its provider reports them. */
function numbersOf({ direction, from = '', to = '', providerPhoneNumber = '' }: Call) {
  return direction === 'inbound'
    ? { Direction: 'inbound', From: from, To: providerPhoneNumber }
    : { Direction: 'outbound-api', From: providerPhoneNumber, To: to };
}
