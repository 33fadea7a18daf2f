import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';

/**
 * Attributes as DynamoDB has them, with the types that the SDK's document client gives them. What is undefined is left out.
 * @throws for a number that is not finite or beyond 2^53, an empty set, and what is no data.
 */
export function attributesOf(native: Readonly<Record<string, unknown>>): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  for (const name in native) {
    const value = native[name];
    if (value !== undefined) {
      attributes[name] = attributeOf(value);
    }
  }
  return attributes;
}

/** Back again: a number beyond 2^53 is a `bigint`, a set a `Set`. */
export function nativeOf(attributes: Readonly<Record<string, AttributeValue>>): Record<string, unknown> {
  const native: Record<string, unknown> = {};
  for (const name in attributes) {
    native[name] = nativeValueOf(attributes[name] as AttributeValue);
  }
  return native;
}

/** Here what nearly every value is; the SDK's conversion looks at each for all that it could be. */
function attributeOf(value: unknown): AttributeValue {
  if (typeof value === 'string') {
    return { S: value };
  }
  if (Number.isSafeInteger(value)) {
    return { N: String(value) };
  }
  return convertToAttr(value, { removeUndefinedValues: true });
}

function nativeValueOf(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) {
    return attribute.S;
  }
  const number = attribute.N === undefined ? Number.NaN : Number(attribute.N);
  return Number.isSafeInteger(number) ? number : convertToNative(attribute);
}
