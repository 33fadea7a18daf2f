/** A regular expression of a user. */
export interface Expression {
  /** Instructions of the engine: about one a character of the expression, but repetitions count written out. */
  readonly size: number;
  /** True when it matches anywhere in the text. */
  test(text: string): boolean;
}

/**
 * A case-insensitive regular expression in RE2 syntax, run in time linear to its size and the text: none can stall the
 * function. Undefined for one that does not compile. The engine is loaded when first needed, since its tables weigh half
 * as much as everything else that a board needs.
 */
export async function userExpression(expression: string): Promise<Expression | undefined> {
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
    return { size: compiled.programSize(), test: (text) => compiled.test(text) };
  } catch {
    return undefined;
  }
}
