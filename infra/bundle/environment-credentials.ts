/**
 * Replaces `@aws-sdk/credential-provider-node` in bundles. A Lambda function always has its role's credentials in the
 * environment; the SDK's other sources cost 130 KB and 24 ms of every cold start.
 */
export function defaultProvider() {
  return async () => {
    const {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    } = process.env;
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set');
    }
    return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  };
}
