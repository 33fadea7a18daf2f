import type { InvocationScope } from '../kernel/ports.ts';
import type { SmsProvider } from '../kernel/providers/sms-provider.ts';
import { systemRuntime } from '../kernel/serve/invocation.ts';
import { required } from './environment.ts';
import { smsRecorder } from './sms-recorder.ts';
import { twilio } from './twilio/twilio.ts';
import { twilioCredentials } from './twilio/twilio-credentials.ts';

/** The provider of text messages that SMS_PROVIDER names: `twilio`, or `recorder` on a developer's machine. */
export function provideSms(
  environment: NodeJS.ProcessEnv,
): (call: Pick<InvocationScope, 'now'>) => SmsProvider {
  const apiUrl = required(environment, 'API_URL');
  switch (environment.SMS_PROVIDER) {
    case 'twilio': {
      const credentials = twilioCredentials(environment, systemRuntime.log);
      return ({ now }) => twilio({ credentials, now, apiUrl });
    }
    case 'recorder': {
      const file = required(environment, 'SMS_RECORD_FILE');
      return ({ now }) => smsRecorder({ file, now, apiUrl });
    }
    default:
      throw new Error('SMS_PROVIDER must be "twilio" or "recorder"');
  }
}
