import { OtherResponse } from '../kernel/http/other-response.ts';

/** The response to a form from a provider: no instruction, so Twilio sends no reply. */
export const emptyResponse = new OtherResponse({
  contentType: 'text/xml',
  body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>',
});
