interface EndpointParameters {
  /** From the client's configuration or from `AWS_ENDPOINT_URL…` in the environment. */
  readonly Endpoint?: string;
  readonly Region?: string;
}

/**
 * Replaces the SDK's endpoint rules in bundles: the service's public endpoint in the function's own region. The rules cover every
 * partition, dual stack and FIPS; their tables and interpreter take 17 KB.
 */
export function regionalEndpoint(service: string) {
  return ({ Endpoint, Region = '' }: EndpointParameters) => {
    const suffix = Region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return {
      url: new URL(Endpoint ?? `https://${service}.${Region}.${suffix}`),
      headers: {},
      properties: {},
    };
  };
}
