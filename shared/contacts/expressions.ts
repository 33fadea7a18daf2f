/**
 * A case-insensitive regular expression of a user, in RE2 syntax, run in time linear to the text: no expression can stall
 * the function. Undefined for one that does not compile. The engine is loaded when first needed, since its tables weigh
 * half as much as everything else that a board needs.
 */
export async function userExpression(expression: string): Promise<((text: string) => boolean) | undefined> {
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}
