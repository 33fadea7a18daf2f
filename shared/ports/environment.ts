/** The credentials of a function's role. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** @throws when the environment has none. */
export function credentialsIn(environment: NodeJS.ProcessEnv): AwsCredentials {
  const { AWS_SESSION_TOKEN: sessionToken } = environment;
  return {
    accessKeyId: required(environment, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: required(environment, 'AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken && { sessionToken }),
  };
}

/** @throws when the environment does not have the variable. */
export function required(environment: NodeJS.ProcessEnv, variable: string): string {
  const value = environment[variable];
  if (value === undefined) {
    throw new Error(`${variable} is not set`);
  }
  return value;
}
