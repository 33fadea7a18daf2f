import { CfnApiMapping, CfnDomainName, type CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnOutput } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * The domains of the APIs. They are in the stack that remains, so that APIs can be deleted and deployed again without a change of DNS: the
 * target of the DNS record belongs to the domain, not to the API.
 */
export function customDomains(
  scope: Construct,
  { httpDomain, socketDomain, certificate }: Pick<Settings, 'httpDomain' | 'socketDomain' | 'certificate'>,
): void {
  const domains = [
    ['HttpDomain', httpDomain],
    ['SocketDomain', socketDomain],
  ].flatMap(([id = '', domainName]) => {
    if (domainName === undefined || certificate === undefined) {
      return [];
    }
    const domain = new CfnDomainName(scope, id, {
      domainName,
      domainNameConfigurations: [
        { certificateArn: certificate, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' },
      ],
    });
    new CfnOutput(scope, `${id}Target`, {
      value: domain.attrRegionalDomainName,
      description: `Where a CNAME record of ${domainName} must point`,
    });
    return domain;
  });
  // An account may create one domain in 30 seconds. Source: API Gateway quotas.
  domains[1]?.addResourceDependency(domains[0] as CfnDomainName);
}

/** Serves an API's stage under its domain, if it has one. */
export function mapToDomain(scope: Construct, stage: CfnStage, domainName: string | undefined): void {
  if (domainName !== undefined) {
    new CfnApiMapping(scope, 'Mapping', { apiId: stage.apiId, stage: stage.ref, domainName });
  }
}
