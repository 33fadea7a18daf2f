/** The value with this name, else that which its parts lead to: a name may have dots itself. */
export function valueAt(source: unknown, path: string): unknown {
  const whole = own(source, path);
  return whole === undefined
    ? path.split('.').reduce<unknown>((value, part) => own(value, part), source)
    : whole;
}

/** A member of an object or a list; undefined for what it does not have itself. */
export function own(source: unknown, name: string): unknown {
  if (Array.isArray(source)) {
    return /^\d{1,4}$/.test(name) ? source[Number(name)] : undefined;
  }
  return typeof source === 'object' && source !== null && Object.hasOwn(source, name)
    ? (source as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
