import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/**
 * The size of an item in bytes, from which DynamoDB calculates units.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Record<string, AttributeValue>): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  );
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) {
    return Buffer.byteLength(value.S);
  }
  if (value.N !== undefined) {
    return numberBytes(value.N);
  }
  if (value.B !== undefined) {
    return value.B.byteLength;
  }
  if (value.L !== undefined) {
    return 3 + value.L.reduce((sum, one) => sum + 1 + valueBytes(one), 0);
  }
  if (value.M !== undefined) {
    return (
      3 +
      Object.entries(value.M).reduce(
        (sum, [name, one]) => sum + 1 + Buffer.byteLength(name) + valueBytes(one),
        0,
      )
    );
  }
  if (value.SS !== undefined) {
    return value.SS.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  }
  if (value.NS !== undefined) {
    return value.NS.reduce((sum, one) => sum + numberBytes(one), 0);
  }
  if (value.BS !== undefined) {
    return value.BS.reduce((sum, one) => sum + one.byteLength, 0);
  }
  return 1;
}

/** One byte for two significant digits, and one more. */
function numberBytes(text: string): number {
  const digits = text.replace(/^-?0*|\.|e.*$|0*$/gi, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
