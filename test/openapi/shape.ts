/**
 * Where two JSON values differ in more than what their texts and numbers say: in keys or in types. Null stands for any type,
 * since which of the records of a list has nothing somewhere is no matter of form; an empty list fits any other.
 */
export function differencesOfShape(one: unknown, other: unknown, at = 'body'): string[] {
  const [type, otherType] = [typeOf(one), typeOf(other)];
  if (type === 'null' || otherType === 'null') {
    return [];
  }
  if (type !== otherType) {
    return [`${at} is ${otherType}, and was ${type}`];
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    const pairs = Math.min(one.length, other.length);
    return one
      .slice(0, pairs)
      .flatMap((value, index) => differencesOfShape(value, other[index], `${at}[${index}]`));
  }
  if (type !== 'object') {
    return [];
  }
  const [values, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return [...new Set([...Object.keys(values), ...Object.keys(others)])].flatMap((key) => {
    if (!Object.hasOwn(others, key)) {
      return [`${at}.${key} is gone`];
    }
    return Object.hasOwn(values, key)
      ? differencesOfShape(values[key], others[key], `${at}.${key}`)
      : [`${at}.${key} is new`];
  });
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}
