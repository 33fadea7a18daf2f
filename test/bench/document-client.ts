/** What the table layer takes from the SDK and nothing else: the floor under the import of every function with a table. */
export { DynamoDBClient } from '@aws-sdk/client-dynamodb';
export {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
export { unmarshall } from '@aws-sdk/util-dynamodb';
