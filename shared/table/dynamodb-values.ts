import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';

/**
 * Attributes in DynamoDB's form, with the types that the SDK's document client chooses. Undefined values are left out.
 * @throws for a number that is not finite or beyond 2^53, an empty set, and what is not data.
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

/** The reverse: a number beyond 2^53 becomes a `bigint`, a set a `Set`. */
export function nativeOf(attributes: Readonly<Record<string, AttributeValue>>): Record<string, unknown> {
  const native: Record<string, unknown> = {};
  for (const name in attributes) {
    native[name] = nativeValueOf(attributes[name] as AttributeValue);
  }
  return native;
}

/** Handles nearly all values itself: the SDK's conversion checks each for every type. */
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
