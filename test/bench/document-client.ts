/** The SDK's document client and nothing else: what a function with a table would import without any work of ours. */
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
