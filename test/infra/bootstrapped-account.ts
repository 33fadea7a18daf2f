import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { identity } from './commands.ts';

/** A request that changes something: its action, with the other parameters. */
export type Change = Readonly<Record<string, string>>;

/** The name and the id of a change set. */
const named = '<ChangeSetName>one</ChangeSetName><Id>one</Id><ChangeSetId>one</ChangeSetId>';

/** An account that was bootstrapped. It has all assets and no stack, makes change sets, and lets nobody execute them. */
export function bootstrappedAccount(): { answer: RequestListener; changes: readonly Change[] } {
  const changes: Change[] = [];

  function respond(asked: Change): { status: number; body: string } {
    const { Action = '', StackName = '' } = asked;
    switch (Action) {
      case 'GetCallerIdentity':
        return identity;
      case 'AssumeRole':
        return result(
          Action,
          '<Credentials><AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration></Credentials>',
        );
      case 'DescribeStacks':
        return refusal(400, 'ValidationError', `Stack with id ${StackName} does not exist`);
      case 'DescribeChangeSet':
        return result(
          Action,
          `${named}<StackName>${StackName}</StackName><Status>CREATE_COMPLETE</Status><ExecutionStatus>AVAILABLE</ExecutionStatus><Changes><member><Type>Resource</Type><ResourceChange><Action>Add</Action><LogicalResourceId>Table</LogicalResourceId><ResourceType>AWS::DynamoDB::Table</ResourceType></ResourceChange></member></Changes>`,
        );
      case 'CreateChangeSet':
      case 'UpdateTerminationProtection':
        changes.push(asked);
        return result(Action, named);
      default:
        changes.push(asked);
        return refusal(403, 'AccessDenied', `You are not authorized to perform ${Action}`);
    }
  }

  const answer: RequestListener = async (request, response) => {
    // The bucket for assets is only asked whether it has an object.
    const key = new URL(request.url ?? '', 'http://bucket').searchParams.get('prefix');
    if (key !== null) {
      response.end(
        `<ListBucketResult><Contents><Key>${key}</Key><Size>1000</Size></Contents></ListBucketResult>`,
      );
    } else if (request.headers['x-amz-target'] === 'AmazonSSM.GetParameter') {
      // The version of what `cdk bootstrap` has made.
      response.end('{"Parameter": {"Value": "1000"}}');
    } else {
      const { status, body } = respond(Object.fromEntries(new URLSearchParams(await text(request))));
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    }
  };
  return { answer, changes };
}

function result(action: string, inner: string) {
  return {
    status: 200,
    body: `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`,
  };
}

function refusal(status: number, code: string, message: string) {
  return {
    status,
    body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
  };
}
